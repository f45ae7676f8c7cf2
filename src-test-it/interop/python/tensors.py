"""Tensors as they travel: element types, metadata, serialised strings, checksums (docs/protocol.md, 9, 10, 15, 16)."""

import dataclasses

import schema

STRING = 7
FLOAT = 1

# number -> (name, bytes of one element); strings have no fixed size.
ELEMENT_TYPES = {
    1: ("float", 4), 2: ("double", 8), 3: ("int32", 4), 4: ("uint8", 1), 5: ("int16", 2), 6: ("int8", 1),
    7: ("string", None), 8: ("complex64", 8), 9: ("int64", 8), 10: ("bool", 1), 11: ("qint8", 1),
    12: ("quint8", 1), 13: ("qint32", 4), 14: ("bfloat16", 2), 15: ("qint16", 2), 16: ("quint16", 2),
    17: ("uint16", 2), 18: ("complex128", 16), 19: ("half", 2), 22: ("uint32", 4), 23: ("uint64", 8),
}
NUMBER_OF = {name: number for number, (name, _) in ELEMENT_TYPES.items()}

LARGEST_STRING_CONTENT = 2**31 - 1


class BadContent(Exception):
    """What landed is not what the metadata promise; `code` is the status of section 17."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def elements(shape):
    """The number of elements; a zero among the dimensions wins over everything else. ValueError past 63 bits."""
    if 0 in shape:
        return 0
    n = 1
    for d in shape:
        n *= d
    if n >= 2**63:
        raise ValueError("the shape has too many elements")
    return n


@dataclasses.dataclass(frozen=True)
class Metadata:
    """What two ends compare before content is written: equal means that the bytes fit the memory."""

    dtype: int
    shape: tuple
    dead: bool
    tensor_bytes: int

    def check(self):
        """Raises ValueError where the fields contradict each other (section 9, rules between fields)."""
        if self.dtype not in ELEMENT_TYPES:
            raise ValueError(f"no element type {self.dtype}")
        if len(self.shape) > 254 or any(d < 0 or d >= 2**63 for d in self.shape):
            raise ValueError("bad dimensions")
        n = elements(self.shape)
        size = ELEMENT_TYPES[self.dtype][1]
        if self.dead:
            expected = 0
        elif self.dtype == STRING:
            expected = self.tensor_bytes
        else:
            expected = n * size
        if expected >= 2**63 or self.tensor_bytes != expected:
            raise ValueError(f"{self.tensor_bytes} bytes for type {self.dtype}, shape {list(self.shape)}")

    def __str__(self):
        what = "dead" if self.dead else f"{ELEMENT_TYPES[self.dtype][0]}{list(self.shape)}"
        return f"{what} {self.tensor_bytes} bytes"


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor in its travelling form: `content` is the elements, or the TensorProto of a string tensor."""

    metadata: Metadata
    content: bytes


DEAD = Tensor(Metadata(FLOAT, (), True, 0), b"")


def numeric(dtype, shape, content):
    return Tensor(Metadata(dtype, tuple(shape), False, len(content)), content)


def strings(shape, values):
    """A string tensor of `values`, row-major."""
    proto = schema.TensorProto(dtype=STRING, string_val=values)
    proto.shape.SetInParent()
    proto.shape.dim.extend(shape)
    content = proto.SerializeToString()
    return Tensor(Metadata(STRING, tuple(shape), False, len(content)), content)


def string_values(tensor):
    """The elements of a string tensor that was received; BadContent where the bytes are not of its metadata."""
    proto = schema.TensorProto()
    try:
        proto.ParseFromString(tensor.content)
    except schema.DecodeError as e:
        raise BadContent(15, f"no TensorProto: {e}") from e
    n = elements(tensor.metadata.shape)
    if proto.dtype != STRING or tuple(proto.shape.dim) != tensor.metadata.shape or len(proto.string_val) != n:
        raise BadContent(3, f"another tensor: type {proto.dtype}, {list(proto.shape.dim)}, {len(proto.string_val)} elements")
    return list(proto.string_val)


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_CRC_TABLE = _crc_table()


def crc32c(content):
    """CRC32C (Castagnoli) of bytes; 0 for none. In plain Python: about 0.1 s for 1 MiB."""
    crc = 0xFFFFFFFF
    table = _CRC_TABLE
    for b in content:
        crc = table[(crc ^ b) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
