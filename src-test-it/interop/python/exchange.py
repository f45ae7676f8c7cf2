"""Setting channels up over gRPC, in both roles (docs/protocol.md, section 3)."""

import concurrent.futures
import random
import re
import secrets
import threading
import time

import grpc
from pyverbs.pyverbs_error import PyverbsError

import schema
from channel import Channel, ChannelLost, Limits
from device import Address

CALL_SECONDS, YIELD_SECONDS, PEER_TIMEOUT_SECONDS, RECONNECT_SECONDS = 10, 1, 10, 3
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.02, 1
_TRAILER = ("tensorferry-status", "1")
_OPTIONS = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 64 * 1024),
    # gRPC's own pauses between connections; the dialling end has pauses of its own.
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
]
_TRY_AGAIN = (grpc.StatusCode.ABORTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
WORKER_NAME = re.compile(r"/job:[A-Za-z][A-Za-z0-9_.-]*/replica:\d{1,9}/task:\d{1,9}")


class Refused(Exception):
    """An offer is not accepted; `code` is the grpc.StatusCode."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def check_parameters(p):
    """Raises Refused(INVALID_ARGUMENT) where a field is out of the range that section 3 gives."""
    power_of_two = p.ring.slots & (p.ring.slots - 1) == 0
    checks = {
        "protocol_version": p.protocol_version == 2,
        "host_name": len(p.host_name) <= 512 and WORKER_NAME.fullmatch(p.host_name),
        "incarnation": p.incarnation,
        "connection_id": p.connection_id,
        "channel": 2 <= len(p.channel) <= 65
                   and all(c.lid < 2**16 and c.qpn < 2**24 and c.psn < 2**24 for c in p.channel),
        "mr": len(p.mr) == 1,
        "ring.slots": power_of_two and 16 <= p.ring.slots <= 65536,
        "ring.slot_bytes": p.ring.slot_bytes % 64 == 0 and 4096 <= p.ring.slot_bytes <= 65536,
        "receive_depth": 32 <= p.receive_depth <= 2**20,
        "mtu": p.mtu in (256, 512, 1024, 2048, 4096),
        "max_message_bytes": 4096 <= p.max_message_bytes < 2**63,
        "stripe_bytes": 4096 <= p.stripe_bytes < 2**63,
        "fabric": 1 <= len(p.fabric) <= 32,
        "attempt": 1 <= p.attempt < 2**63,
    }
    for field, good in checks.items():
        if not good:
            raise Refused(grpc.StatusCode.INVALID_ARGUMENT, f"{field} is out of its range")


class Link:
    """The way to one peer: at most one channel, at most one offer under way."""

    def __init__(self, name, address):
        self.name = name
        self.channel = None
        self.wanted = False  # dial when there is no channel
        self.may_dial = True  # dial where a lost channel is missed
        self.incarnation = None  # of the peer, as of the last channel
        self.alone_since = None  # when the last channel that the peer was heard on was lost
        self.error = None  # why dialling was given up
        self.attempts = 0
        self.taken_up = (0, 0)  # incarnation and attempt of the peer's last offer or answer
        self.confirmed = False
        self.offer = None  # (Channel, future of GetRemoteAddress)
        self.confirmation = None  # future of ConfirmReady
        self.answered_at = 0.0
        self.pause = FIRST_PAUSE_SECONDS
        self.next_dial = 0.0
        grpc_channel = grpc.insecure_channel(address, options=_OPTIONS)
        self.grpc_channel = grpc_channel
        call = lambda method, response: grpc_channel.unary_unary(
            f"/{schema.SERVICE}/{method}", request_serializer=lambda m: m.SerializeToString(),
            response_deserializer=response.FromString)
        self.get_remote_address = call("GetRemoteAddress", schema.GetRemoteAddressResponse)
        self.confirm_ready = call("ConfirmReady", schema.ConfirmReadyResponse)


class Exchange:
    """This worker's set-up of channels. `lock` guards it, the channels and the rendezvous; `progress` needs it held.

    `handler` gets message, content and arrived from the channels, and of each channel opened(channel, incarnation) and
    lost(channel, code, text, for good) once; gone(peer, code, text) when no channel came in place of one that was lost;
    waits_for(peer) says whether it wants one.
    """

    def __init__(self, device, limits, name, addresses, handler, log):
        self.device, self.limits, self.name, self.handler, self.log = device, limits, name, handler, log
        self.lock = threading.Lock()
        self.incarnation = secrets.randbits(64) or 1
        self.links = {peer: Link(peer, address) for peer, address in addresses.items() if peer != name}
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(4), options=_OPTIONS + [("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(schema.SERVICE, {
            "GetRemoteAddress": self._handler(self._answer, schema.GetRemoteAddressRequest),
            "ConfirmReady": self._handler(self._confirm, schema.ConfirmReadyRequest),
        }),))
        self._server.add_insecure_port(addresses[name])
        self._server.start()

    def _handler(self, method, request):
        def locked(message, context):
            try:
                with self.lock:
                    return method(message)
            except Refused as e:
                self.log(f"refused: {e.code.name}, {e}")
                context.set_trailing_metadata((_TRAILER,))
                context.abort(e.code, str(e))

        return grpc.unary_unary_rpc_method_handler(locked, request.FromString, lambda m: m.SerializeToString())

    # ------------------------------------------------------------- both roles

    def _parameters(self, link, channel):
        link.attempts += 1
        limits = channel.limits
        p = schema.ConnectionParameters(
            protocol_version=2, host_name=self.name, incarnation=self.incarnation, connection_id=channel.connection_id,
            receive_depth=limits.receive_depth, mtu=limits.mtu, max_message_bytes=limits.max_message_bytes,
            stripe_bytes=limits.stripe_bytes, attempt=link.attempts, fabric=self.device.fabric)
        for a in channel.addresses:
            p.channel.add(lid=a.lid, qpn=a.qpn, psn=a.psn, snp=a.snp, iid=a.iid)
        p.mr.add(remote_addr=channel.ring.buf, rkey=channel.ring.rkey)
        p.ring.slots, p.ring.slot_bytes = limits.ring_slots, limits.slot_bytes
        return p

    def _connect(self, channel, p):
        if p.fabric != self.device.fabric:
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, f"fabric {p.fabric}, not {self.device.fabric}")
        theirs = Limits(len(p.channel) - 1, p.ring.slots, p.ring.slot_bytes, p.receive_depth, p.mtu, p.max_message_bytes,
                        p.stripe_bytes)
        addresses = [Address(c.lid, c.qpn, c.psn, c.snp, c.iid) for c in p.channel]
        channel.connect(theirs, p.mr[0].remote_addr, p.mr[0].rkey, addresses)

    def progress(self):
        """Dials where a channel is wanted, moves every channel on; False if nothing happened."""
        busy = False
        now = time.monotonic()
        for link in self.links.values():
            if link.offer and link.offer[1].done():
                self._offer_returned(link)
            if link.confirmation and link.confirmation.done():
                self._confirmation_returned(link)
            wanted = link.wanted or link.may_dial and link.incarnation and self.handler.waits_for(link.name)
            if wanted and not link.channel and not link.offer and not link.error and now >= link.next_dial:
                self._dial(link)
            channel = link.channel
            if channel:
                try:
                    busy |= channel.progress()
                    if not channel.may_write and now > link.answered_at + PEER_TIMEOUT_SECONDS:
                        raise ChannelLost(14, "neither ConfirmReady nor a write came")
                except ChannelLost as e:
                    self._lose(link, e.code, str(e))
            self._watch_the_time_alone(link)
        return busy

    def _watch_the_time_alone(self, link):
        if link.alone_since is None:
            return
        if link.channel and link.channel.heard:
            link.alone_since = None
        elif time.monotonic() > link.alone_since + RECONNECT_SECONDS:
            text = f"no channel within {RECONNECT_SECONDS} s"
            link.alone_since = None
            if link.channel:
                self._lose(link, 14, text, for_good=True)
            else:
                self.handler.gone(link.name, 14, text)

    def _opened(self, link, channel, p):
        link.channel, link.confirmed, link.incarnation = channel, False, p.incarnation
        self.handler.opened(channel, p.incarnation)

    def _lose(self, link, code, text, for_good=False):
        channel, link.channel = link.channel, None
        link.confirmation = None
        if channel.heard and not for_good:
            link.alone_since = time.monotonic()
        self.log(f"channel {channel.connection_id:016x} lost: {code}, {text}")
        channel.close()
        self.handler.lost(channel, code, text, for_good or code != 14)

    def channel_to(self, peer):
        return self.links[peer].channel

    def close(self):
        for link in self.links.values():
            if link.offer:
                link.offer[0].close()
                link.offer = None
            if link.channel:
                self._lose(link, 14, "this worker ends", for_good=True)

    def stop_server(self):
        """Without the lock: calls that wait for it must be able to end."""
        self._server.stop(grace=1).wait()
        for link in self.links.values():
            link.grpc_channel.close()

    # ------------------------------------------------------------ dialling end

    def _dial(self, link):
        channel = Channel(self.device, self.limits, self.handler, link.name)
        request = schema.GetRemoteAddressRequest(offer=self._parameters(link, channel))
        self.log(f"offer {channel.connection_id:016x} to {link.name}, attempt {link.attempts}")
        link.offer = (channel, link.get_remote_address.future(request, timeout=CALL_SECONDS))

    def _drop_offer(self, link):
        channel, _ = link.offer
        link.offer = None  # what comes back for it is ignored
        channel.close()

    def _again_after(self, link, seconds):
        link.next_dial = time.monotonic() + seconds

    def _offer_returned(self, link):
        channel, future = link.offer
        error = future.exception()
        if error:
            self._drop_offer(link)
            chosen = _TRAILER[0] in dict(error.trailing_metadata() or ())
            code = error.code()
            if code == grpc.StatusCode.CANCELLED and not chosen:
                code = grpc.StatusCode.UNAVAILABLE
            if code in _TRY_AGAIN:
                self._again_after(link, random.uniform(link.pause / 2, link.pause))
                link.pause = min(2 * link.pause, LONGEST_PAUSE_SECONDS)
            else:
                link.error = f"{code.name}: {error.details()}"
            self.log(f"offer to {link.name} failed: {code.name}, {error.details()}")
            return
        response = future.result()
        if response.outcome == schema.YIELD:
            self.log(f"{link.name} wants its own offer to stand")
            self._drop_offer(link)
            self._again_after(link, YIELD_SECONDS)
            return
        answer = response.answer
        try:
            if response.outcome != schema.ACCEPTED:
                raise Refused(grpc.StatusCode.INTERNAL, f"outcome {response.outcome}")
            check_parameters(answer)
            if answer.host_name != link.name or answer.connection_id != channel.connection_id:
                raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "an answer of another worker or to another offer")
            self._connect(channel, answer)
        except (Refused, PyverbsError) as e:
            self._drop_offer(link)
            link.error = f"bad answer: {e}"
            return
        link.offer = None
        link.taken_up = (answer.incarnation, answer.attempt)
        link.pause = FIRST_PAUSE_SECONDS
        self.log(f"channel {channel.connection_id:016x} to {link.name}, dialled, {channel.agreed}")
        self._opened(link, channel, answer)
        link.confirmation = link.confirm_ready.future(
            schema.ConfirmReadyRequest(host_name=self.name, incarnation=self.incarnation,
                                       connection_id=channel.connection_id), timeout=CALL_SECONDS)

    def _confirmation_returned(self, link):
        error = link.confirmation.exception()
        link.confirmation = None
        if error and link.channel:
            self._lose(link, 14, f"ConfirmReady failed: {error.code().name}, {error.details()}")
        else:
            link.confirmed = True

    # ----------------------------------------------------------- answering end

    def _answer(self, request):
        offer = request.offer
        check_parameters(offer)
        link = self.links.get(offer.host_name)
        if not link:
            raise Refused(grpc.StatusCode.PERMISSION_DENIED, f"{offer.host_name} is no peer of {self.name}")
        if offer.incarnation == link.taken_up[0] and offer.attempt <= link.taken_up[1]:
            raise Refused(grpc.StatusCode.ABORTED, "a later offer or answer was taken up")
        link.taken_up = (offer.incarnation, offer.attempt)
        if link.offer:
            if self.name < link.name:
                self.log(f"own offer stands against {offer.connection_id:016x}")
                return schema.GetRemoteAddressResponse(outcome=schema.YIELD)
            self.log(f"own offer {link.offer[0].connection_id:016x} dropped for {offer.connection_id:016x}")
            self._drop_offer(link)
        if link.channel:
            restarted = offer.incarnation != link.incarnation
            self._lose(link, 10 if restarted else 14, "the peer was restarted" if restarted else "the peer dials again")
        channel = Channel(self.device, self.limits, self.handler, link.name, offer.connection_id)
        try:
            self._connect(channel, offer)
        except (Refused, PyverbsError) as e:
            channel.close()
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, str(e)) from e
        link.answered_at = time.monotonic()
        self.log(f"channel {channel.connection_id:016x} to {link.name}, answered, {channel.agreed}")
        self._opened(link, channel, offer)
        return schema.GetRemoteAddressResponse(outcome=schema.ACCEPTED, answer=self._parameters(link, channel))

    def _confirm(self, request):
        link = self.links.get(request.host_name)
        channel = link and link.channel
        if not channel or channel.connection_id != request.connection_id or link.incarnation != request.incarnation:
            raise Refused(grpc.StatusCode.NOT_FOUND, "no channel with that connection id")
        channel.may_write = link.confirmed = True
        return schema.ConfirmReadyResponse()
