"""Both sides of requests, and what the channels tell them (docs/protocol.md, sections 12 and 13)."""

import collections

import codes
from messages import Type
from names import Names
from receiver import Receiver
from recovery import Kept
from sender import Sender


class Rendezvous:
    """All sends and receives of this worker: the handler of its channels. Not thread-safe: the exchange's lock.

    `event(channel, kind)` is called as requests go on; README.md says what kinds there are.
    """

    def __init__(self, device, name, validate, carried_bytes, log, event):
        self.log = log
        self.names = collections.defaultdict(Names)  # channel -> numbers of keys
        self.receiver = Receiver(device, validate, self.names, log, event)
        self.sender = Sender(device, name, carried_bytes, event)
        self.incarnations = {}  # peer -> that of the last channel

    def message(self, channel, m):
        """A control message has arrived."""
        self.log(f"<- {m}")
        if m.type == Type.HEARTBEAT:
            return
        if m.type == Type.RESUMED:
            self.sender.kept[channel.peer].resumed(channel)
        elif m.type in (Type.TENSOR_REQUEST, Type.REPEATED_REQUEST):
            self.sender.tensor_request(channel, self.names[channel].in_full(m))
        elif m.type == Type.TENSOR_RE_REQUEST:
            self.sender.re_request(channel, m)
        elif m.type == Type.META_DATA_RESPONSE:
            self.receiver.meta_data_response(channel, m)
        elif m.type == Type.TENSOR_CONTENT:
            self.receiver.tensor_content(channel, m)
        elif m.to_sender:
            self.sender.given_up_by_receiver(channel, m)
        else:
            self.receiver.failed_by_sender(channel, m)

    def content(self, channel, index, lane):
        """What a lane brings of the content of a request has landed."""
        self.receiver.content(channel, index, lane)

    def arrived(self, channel, index):
        """The peer has acknowledged what ended one of its requests."""
        self.sender.arrived(channel, index)

    def waits_for(self, peer):
        """Whether a receive waits for a channel to the peer."""
        return self.receiver.waits_for(peer)

    def opened(self, channel, incarnation):
        """There is a channel: requests that were asked on an earlier one to the same incarnation go on."""
        peer = channel.peer
        if self.incarnations.get(peer, incarnation) != incarnation:
            self.gone(peer, codes.ABORTED, "the peer was restarted", unasked=False)
            self.sender.kept[peer] = Kept()
        self.incarnations[peer] = incarnation
        self.receiver.opened(channel)

    def lost(self, channel, code, text, for_good):
        """The channel is gone. Its requests wait for another one, unless the peer cannot come back."""
        self.names.pop(channel, None)
        self.receiver.lost(channel)
        self.sender.lost(channel)
        if for_good:
            self.gone(channel.peer, code, text, unasked=code == codes.UNAVAILABLE, refuse=code == codes.INTERNAL)

    def gone(self, peer, code, text, unasked=True, refuse=False):
        """Nothing goes on: receives that wait for the peer fail (`unasked`: also new ones), kept tensors are dropped."""
        self.receiver.gone(peer, code, text, unasked)
        self.sender.kept[peer].drop(code, text, refuse)
