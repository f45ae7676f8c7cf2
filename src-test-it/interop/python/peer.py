#!/usr/bin/python3
"""A worker in Python: exchanges the tensors of a plan with another worker, in both directions. README.md says how."""

import argparse
import collections
import os
import sys
import time

import plan
from channel import Limits
from codes import CANCELLED, FAILED_PRECONDITION, INVALID_ARGUMENT
from device import Device
from exchange import Exchange
from keys import key
from receiver import Asked
from rendezvous import Rendezvous

# Steps that are no steps of the plan. That of aborts is 1000 + the task that aborts it.
ABORTS, NEVER, FOREIGN, DONE = 1000, 1010, 1011, 1012
IDLE_SECONDS = 0.0005
EVENTS = ("asked", "asked-again", "replayed", "landed", "landed-carried", "landed-announced", "requested", "announced",
          "writing", "writing-large", "carrying", "carrying-announced")


class Failure(Exception):
    """The exchange did not go as it must."""


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--cluster", required=True, help="all workers: worker:0=HOST:PORT,worker:1=HOST:PORT")
    p.add_argument("--task", required=True, help="which one this is: worker:1")
    p.add_argument("--peer", required=True, help="the one to exchange tensors with: worker:0")
    p.add_argument("--device", required=True, help="the RDMA device: rxe0")
    p.add_argument("--port", type=int, default=1)
    p.add_argument("--gid-index", type=int, default=1)
    p.add_argument("--plan", required=True, help="the file that says what is exchanged")
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--role", choices=("dial", "answer", "listen"), required=True,
                   help="dial the peer; wait to be dialled, the first time; or wait to be dialled, always")
    p.add_argument("--connected-file", help="made when the first channel is there")
    p.add_argument("--validate", action="store_true", help="ask for checksums")
    p.add_argument("--lanes", type=int, default=1)
    p.add_argument("--ring-slots", type=int, default=256)
    p.add_argument("--slot-bytes", type=int, default=4096)
    p.add_argument("--receive-depth", type=int, default=1024)
    p.add_argument("--mtu", type=int, help="at most that of the port, which is the default")
    p.add_argument("--max-message-bytes", type=int, help="longest single write; at most that of the port, the default")
    p.add_argument("--stripe-bytes", type=int, default=65536, help="from so many bytes on a tensor goes over all lanes")
    p.add_argument("--carried-bytes", type=int, default=1024,
                   help="tensors of up to so many bytes go in messages, where there is room; 0: none")
    p.add_argument("--lose", type=moments, default=[], metavar="KIND:N,...",
                   help="stop the own queue pairs when the N-th of this kind has happened: asked:60,writing:20")
    p.add_argument("--idle", type=float, default=0, help="seconds of silence before the end")
    p.add_argument("--timeout", type=float, default=60, help="seconds for everything")
    p.add_argument("--verbose", action="store_true", help="print each message that arrives")
    return p.parse_args()


def moments(text):
    """The moments of `--lose`: (kind, n)."""
    pairs = [word.split(":") for word in text.split(",")]
    if not {kind for kind, _ in pairs} <= set(EVENTS):
        raise ValueError(text)
    return [(kind, int(n)) for kind, n in pairs]


def worker_name(task):
    job, number = task.split(":")
    return f"/job:{job}/replica:0/task:{number}"


class Peer:
    """The exchange with one other worker."""

    def __init__(self, args):
        self.args = args
        self.deadline = time.monotonic() + args.timeout
        self.name, self.peer = worker_name(args.task), worker_name(args.peer)
        self.task, self.peer_task = int(args.task.split(":")[1]), int(args.peer.split(":")[1])
        self.rows = plan.read(args.plan)
        self.device = Device(args.device, args.port, args.gid_index)
        limits = Limits(args.lanes, args.ring_slots, args.slot_bytes, args.receive_depth, args.mtu or self.device.mtu,
                        args.max_message_bytes or self.device.max_message_bytes, args.stripe_bytes)
        self.losses, self.events = list(args.lose), collections.Counter()
        self.rendezvous = Rendezvous(self.device, self.name, args.validate, args.carried_bytes,
                                     log if args.verbose else lambda _: None, self.event)
        addresses = {worker_name(t): a for t, a in (entry.split("=") for entry in args.cluster.split(","))}
        self.exchange = Exchange(self.device, limits, self.name, addresses, self.rendezvous, log)
        self.link = self.exchange.links[self.peer]
        self.link.wanted, self.link.may_dial = args.role == "dial", args.role != "listen"
        self.received = 0

    def event(self, channel, kind):
        """Counts what happens to requests, and stops the channel at the moments of --lose."""
        self.events[kind] += 1
        for moment in [m for m in self.losses if m[0] == kind and m[1] <= self.events[kind] and channel.open]:
            self.losses.remove(moment)
            channel.fail_soon = True
            log(f"stops its queue pairs at {moment[0]}:{moment[1]}")

    def run(self):
        self.wait(lambda: self.link.channel and self.link.confirmed, "the channel")
        if self.args.connected_file:
            os.close(os.open(self.args.connected_file, os.O_CREAT | os.O_WRONLY))
        with self.exchange.lock:
            self.rendezvous.sender.abort(ABORTS + self.task, FAILED_PRECONDITION, f"aborted by {self.name}")
        for step in range(1, self.args.steps + 1):
            self.step(step)
        self.aborted_by_peer()
        self.given_up()
        self.foreign_key()
        self.idle()
        self.done()
        log("events " + " ".join(f"{kind}={self.events[kind]}" for kind in EVENTS))
        if self.losses:
            raise Failure(f"the channel was to be lost at {self.losses}, which did not come")

    def step(self, step):
        """Odd steps send before they ask, even ones ask first."""
        actions = [self.send_step, self.ask_step]
        receives = [action(step) for action in (actions if step % 2 else actions[::-1])]
        receives = receives[0] or receives[1]
        self.wait(lambda: all(r.over() for r, _ in receives), f"the tensors of step {step}")
        for receive, expected in receives:
            self.check(receive, expected)

    def send_step(self, step):
        for row in self.rows:
            for k in range(row.count):
                tensor = plan.tensor(row, k, step, self.task)
                with self.exchange.lock:
                    self.rendezvous.sender.send(step, key(self.name, self.peer, f"{row.edge}/{k}"), tensor)

    def ask_step(self, step):
        receives = []
        for row in self.rows:
            for k in range(row.count):
                expected = plan.tensor(row, k, step, self.peer_task)
                receives.append((self.ask(step, f"{row.edge}/{k}"), expected))
        return receives

    def ask(self, step, edge):
        with self.exchange.lock:
            return self.rendezvous.receiver.receive(step, key(self.peer, self.name, edge))

    def check(self, receive, expected):
        if receive.failure:
            raise Failure(f"{receive.key} in step {receive.step} failed: {receive.failure}")
        problem = plan.difference(receive.tensor, expected)
        if problem:
            raise Failure(f"{receive.key} in step {receive.step}: {problem}")
        self.received += 1
        log(f"received {receive.key.split(';')[3]} step {receive.step}, {receive.course}, {receive.way}:"
            f" {receive.tensor.metadata}")

    def aborted_by_peer(self):
        """The peer has aborted its step: a receive of that step fails with the status of the abort."""
        receive = self.ask(ABORTS + self.peer_task, "aborted")
        self.expect(receive, FAILED_PRECONDITION, "aborted step")

    def given_up(self):
        """A tensor that never comes: the peer confirms that the request is dropped."""
        receive = self.ask(NEVER, "never")
        started = time.monotonic()
        self.wait(lambda: time.monotonic() > started + 0.2, "a moment")
        with self.exchange.lock:
            self.rendezvous.receiver.give_up(receive)
        self.wait(lambda: receive.state == Asked.ENDED, "the confirmation of a request that was given up")
        self.expect(receive, CANCELLED, "given up")

    def foreign_key(self):
        """A key that names another consumer: refused."""
        with self.exchange.lock:
            receive = self.rendezvous.receiver.receive(FOREIGN, key(self.peer, worker_name("nobody:9"), "foreign"))
        self.expect(receive, INVALID_ARGUMENT, "another consumer's key")

    def expect(self, receive, code, what):
        self.wait(receive.over, what)
        if not receive.failure or receive.failure[0] != code:
            raise Failure(f"{what}: {receive.failure or receive.tensor}, status {code} was expected")
        log(f"refused as it must be, {what}: {receive.failure}")

    def idle(self):
        """Nothing to send: heartbeats keep the channel."""
        until = time.monotonic() + self.args.idle
        self.wait(lambda: time.monotonic() > until, "the end of the silence")

    def done(self):
        """Both ends have all they wanted when each has asked for the other's last tensor."""
        last = plan.numbered(DONE)
        with self.exchange.lock:
            self.rendezvous.sender.send(DONE, key(self.name, self.peer, "done"), last)
        receive = self.ask(DONE, "done")
        self.wait(lambda: receive.over() and not self.rendezvous.sender.unserved(), "the end")
        self.check(receive, last)

    def wait(self, condition, what):
        """Makes everything progress until `condition()`, which is called with the lock held."""
        while True:
            with self.exchange.lock:
                busy = self.exchange.progress()
                self.rendezvous.receiver.ask(self.exchange.channel_to)
                if condition():
                    return
                error = self.link.error
            if error:
                raise Failure(f"no channel: {error}")
            if time.monotonic() > self.deadline:
                raise Failure(f"{what} did not come within {self.args.timeout:g} s")
            # Never a busy loop: the other processes of a small machine need the processor.
            time.sleep(0 if busy else IDLE_SECONDS)

    def close(self):
        with self.exchange.lock:
            self.exchange.close()
        self.exchange.stop_server()
        self.device.close()


def log(text):
    print(text, flush=True)


def main():
    peer = Peer(arguments())
    try:
        peer.run()
    except Failure as e:
        print(f"FAILED {e}", flush=True)
        return 1
    finally:
        peer.close()
    log(f"OK {peer.received} tensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
