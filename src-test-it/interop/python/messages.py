"""Control messages and their bytes (docs/protocol.md, section 9)."""

import dataclasses
import enum
import struct

from tensors import Metadata

MAGIC = 0x4654
VERSION = 2
NAME_IDS = 65536
LONGEST_NAMING = 576  # bytes of a TENSOR_REQUEST that gives its key a number
# magic, version, type, length, step, index, rkey, address, tensor bytes, checksum, name id, data type, flags, rank,
# name size, status code, status size
_HEADER = struct.Struct("<HBBIQIIQQIIIBBHII")
assert _HEADER.size == 64
# magic, version, type, length, step, index, rkey, address, name id, zero
_REPEATED = struct.Struct("<HBBIQIIQII")
assert _REPEATED.size == 40

_MORE = 0x80  # in the byte of the type
_IS_DEAD, _HAS_META_DATA, _HAS_CHECKSUM, _WANTS_CHECKSUM, _TO_SENDER, _REPLAY = 1, 2, 4, 8, 16, 32


class Violation(Exception):
    """The peer did what the protocol does not allow: the channel ends."""


class Type(enum.IntEnum):
    META_DATA_RESPONSE = 0
    TENSOR_RE_REQUEST = 1
    TENSOR_REQUEST = 2
    ERROR_STATUS = 3
    HEARTBEAT = 4
    RESUMED = 5
    REPEATED_REQUEST = 6


_FLAGS_ALLOWED = {
    Type.TENSOR_REQUEST: _IS_DEAD | _HAS_META_DATA | _WANTS_CHECKSUM | _REPLAY,
    Type.META_DATA_RESPONSE: _IS_DEAD | _HAS_META_DATA | _HAS_CHECKSUM,
    Type.TENSOR_RE_REQUEST: _IS_DEAD | _HAS_META_DATA,
    Type.ERROR_STATUS: _TO_SENDER,
    Type.HEARTBEAT: 0,
    Type.RESUMED: 0,
}
_OF_NO_REQUEST = (Type.HEARTBEAT, Type.RESUMED)


@dataclasses.dataclass(frozen=True)
class Message:
    """One control message. What its type does not carry keeps its default."""

    type: Type
    step_id: int = 0
    request_index: int = 0
    metadata: Metadata | None = None
    remote_addr: int = 0
    rkey: int = 0
    checksum: int | None = None
    wants_checksum: bool = False
    to_sender: bool = False
    replay: bool = False
    name: str = ""
    name_id: int = 0
    status_code: int = 0
    status_text: str = ""

    def __str__(self):
        if self.type in _OF_NO_REQUEST:
            return self.type.name
        parts = [f"{self.type.name}[{self.request_index:#x}] step {self.step_id}"]
        parts += [str(p) for p in (self.metadata, self.name) if p]
        if self.replay:
            parts.append("replay")
        if self.type == Type.ERROR_STATUS:
            parts.append(f"to {'sender' if self.to_sender else 'receiver'}: {self.status_code} {self.status_text}")
        return ", ".join(parts)


def encode(m, slot_bytes):
    """The bytes of `m`; ValueError if a slot cannot hold them. The text of a status is cut to fit."""
    if m.type == Type.REPEATED_REQUEST:
        return _REPEATED.pack(MAGIC, VERSION, m.type, _REPEATED.size, m.step_id, m.request_index, m.rkey,
                              m.remote_addr, m.name_id, 0)
    shape = m.metadata.shape if m.metadata else ()
    name = m.name.encode()
    size = 64 + 8 * len(shape) + len(name)
    text = m.status_text.encode()[:min(65535, max(0, slot_bytes - size))].decode(errors="ignore").encode()
    size += len(text)
    length = (size + 7) & ~7
    if length > slot_bytes:
        raise ValueError(f"{length} bytes do not fit a slot of {slot_bytes}")
    flags = (_HAS_CHECKSUM if m.checksum is not None else 0) | (_WANTS_CHECKSUM if m.wants_checksum else 0)
    flags |= (_TO_SENDER if m.to_sender else 0) | (_REPLAY if m.replay else 0)
    if m.metadata:
        flags |= _HAS_META_DATA | (_IS_DEAD if m.metadata.dead else 0)
    header = _HEADER.pack(
        MAGIC, VERSION, m.type, length, m.step_id, m.request_index, m.rkey, m.remote_addr,
        m.metadata.tensor_bytes if m.metadata else 0, m.checksum or 0, m.name_id,
        m.metadata.dtype if m.metadata else 0,
        flags, len(shape), len(name), m.status_code, len(text))
    return (header + struct.pack(f"<{len(shape)}q", *shape) + name + text).ljust(length, b"\0")


def joined(parts):
    """Several encoded messages for one slot: all but the last say that another follows."""
    return b"".join(part[:3] + bytes([part[3] | _MORE]) + part[4:] for part in parts[:-1]) + parts[-1]


def decode_slot(slot):
    """The messages of a slot, a copy of it, in their order; Violation where any byte is not as it must be."""
    found = []
    at, more = 0, True
    while more:
        _require(len(slot) - at >= _REPEATED.size, "nothing follows")
        more = slot[at + 3] & _MORE
        # As if it were the only one: what is behind it is not looked at.
        one = slot[at:at + 3] + bytes([slot[at + 3] & ~_MORE]) + slot[at + 4:]
        found.append(decode(one))
        at += int.from_bytes(one[4:8], "little")
    return found


def decode(slot):
    """The message at the start of `slot`, a copy of the whole slot; Violation where any byte is not as it must be."""
    if slot[3] == Type.REPEATED_REQUEST:
        return _decode_repeated(slot)
    _require(len(slot) >= _HEADER.size, "length")
    (magic, version, kind, length, step, index, rkey, address, tensor_bytes, checksum, name_id, dtype, flags, rank,
     name_size, code, text_size) = _HEADER.unpack_from(slot)
    _require(magic == MAGIC and version == VERSION and kind in Type._value2member_map_, "magic, version or type")
    kind = Type(kind)
    _require(rank <= 254 and text_size <= 65535, "rank or text")
    names = 64 + 8 * rank
    end = names + name_size + text_size
    _require(length == (end + 7) & ~7 and length <= len(slot), "length")
    _require(not any(slot[end:length]), "padding")
    _require(not flags & ~_FLAGS_ALLOWED[kind], "flags")
    _require(kind not in _OF_NO_REQUEST or not (step or index), "step or index")

    metadata = None
    if flags & _HAS_META_DATA:
        metadata = Metadata(dtype, struct.unpack_from(f"<{rank}q", slot, 64), bool(flags & _IS_DEAD), tensor_bytes)
        try:
            metadata.check()
        except ValueError as e:
            raise Violation(f"malformed {kind.name}: {e}") from e
    else:
        _require(not (flags & _IS_DEAD or dtype or rank or tensor_bytes), "metadata without its flag")
        _require(kind not in (Type.META_DATA_RESPONSE, Type.TENSOR_RE_REQUEST), "no metadata")

    if kind in (Type.TENSOR_REQUEST, Type.TENSOR_RE_REQUEST) and metadata and metadata.tensor_bytes:
        _require(0 < address <= 2**64 - tensor_bytes, "address")
    else:
        _require(not address and not rkey, "address without content")
    _require(flags & _HAS_CHECKSUM or not checksum, "checksum")
    _require(name_id <= NAME_IDS if kind == Type.TENSOR_REQUEST and length <= LONGEST_NAMING else not name_id, "name id")
    _require((name_size > 0) == (kind == Type.TENSOR_REQUEST), "name")
    _require(code > 0 if kind == Type.ERROR_STATUS else not code and not text_size, "status")
    try:
        name = slot[names:names + name_size].decode()
        text = slot[names + name_size:end].decode()
    except UnicodeDecodeError as e:
        raise Violation(f"malformed {kind.name}: {e}") from e
    return Message(kind, step, index, metadata, address, rkey, checksum if flags & _HAS_CHECKSUM else None,
                   bool(flags & _WANTS_CHECKSUM), bool(flags & _TO_SENDER), bool(flags & _REPLAY), name, name_id, code, text)


def _decode_repeated(slot):
    magic, version, kind, length, step, index, rkey, address, name_id, zero = _REPEATED.unpack_from(slot)
    _require(magic == MAGIC and version == VERSION and length == _REPEATED.size, "magic, version or length")
    _require(0 < name_id <= NAME_IDS and not zero, "name id")
    return Message(Type(kind), step, index, remote_addr=address, rkey=rkey, name_id=name_id)


def _require(condition, what):
    if not condition:
        raise Violation(f"malformed message: {what}")
