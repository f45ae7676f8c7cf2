"""What two peers exchange: a plan that both read, and contents that both can compute. README.md describes both."""

import dataclasses

import tensors

BLOCK = bytes(31 * i % 256 for i in range(256))


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the plan: `count` tensors with edge names EDGE/0, EDGE/1, ... in each step."""

    number: int
    edge: str
    count: int
    dtype: int
    shapes: tuple  # of the steps, over and over; None is dead

    def shape(self, step):
        return self.shapes[(step - 1) % len(self.shapes)]


def read(path):
    """The rows of a plan, in their order."""
    rows = []
    with open(path, encoding="ascii") as lines:
        for words in (line.split() for line in lines):
            if words and not words[0].startswith("#"):
                edge, count, dtype, *shapes = words
                rows.append(Row(len(rows), edge, int(count), tensors.NUMBER_OF[dtype], tuple(map(_shape, shapes))))
    return rows


def _shape(word):
    if word == "dead":
        return None
    return () if word == "scalar" else tuple(int(d) for d in word.split("x"))


def tensor(row, k, step, sender):
    """The k-th tensor of a row in a step, as the worker with task number `sender` sends it."""
    shape = row.shape(step)
    if shape is None:
        return tensors.DEAD
    seed = (13 * step + 5 * row.number + k + sender) % 256
    n = tensors.elements(shape)
    if row.dtype == tensors.STRING:
        return tensors.strings(shape, [_pattern(seed + j, (7 * j + seed) % 41) for j in range(n)])
    return tensors.numeric(row.dtype, shape, _pattern(seed, n * tensors.ELEMENT_TYPES[row.dtype][1]))


def numbered(number):
    """A small tensor outside of the plan."""
    return tensors.numeric(4, (4,), _pattern(number % 256, 4))


def _pattern(seed, size):
    """Byte i is (31 * i + seed) mod 256."""
    block = bytes((b + seed) % 256 for b in BLOCK)
    return (block * (size // 256 + 1))[:size]


def difference(received, expected):
    """What is wrong with a tensor that was received; None if nothing is."""
    got, want = received.metadata, expected.metadata
    if got.dead or want.dead:
        return None if got.dead == want.dead else f"{got}, not {want}"
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got}, not {want}"
    if got.dtype == tensors.STRING:
        same = tensors.string_values(received) == tensors.string_values(expected)
    else:
        same = received.content == expected.content
    return None if same else "other bytes"
