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
# magic, version, type, length, step, index, content size
_CONTENT = struct.Struct("<HBBIQII")
assert _CONTENT.size == 24

_MORE = 0x80  # in the byte of the type
_IS_DEAD, _HAS_META_DATA, _HAS_CHECKSUM, _WANTS_CHECKSUM, _TO_SENDER, _REPLAY, _HAS_CONTENT = 1, 2, 4, 8, 16, 32, 64


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
    TENSOR_CONTENT = 7


_FLAGS_ALLOWED = {
    Type.TENSOR_REQUEST: _IS_DEAD | _HAS_META_DATA | _WANTS_CHECKSUM | _REPLAY,
    Type.META_DATA_RESPONSE: _IS_DEAD | _HAS_META_DATA | _HAS_CHECKSUM | _HAS_CONTENT,
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
    content: bytes | None = None

    def ends_request(self):
        """Whether the receiver of a tensor hears no more of the request after this."""
        return self.content is not None or self.type == Type.ERROR_STATUS and not self.to_sender

    def __str__(self):
        if self.type in _OF_NO_REQUEST:
            return self.type.name
        parts = [f"{self.type.name}[{self.request_index:#x}] step {self.step_id}"]
        parts += [str(p) for p in (self.metadata, self.name) if p]
        if self.replay:
            parts.append("replay")
        if self.content is not None:
            parts.append(f"with a content of {len(self.content)} bytes")
        if self.type == Type.ERROR_STATUS:
            parts.append(f"to {'sender' if self.to_sender else 'receiver'}: {self.status_code} {self.status_text}")
        return ", ".join(parts)


def length_of(m):
    """The bytes that `m` takes, before the text of its status is cut."""
    content = m.content or b""
    if m.type == Type.REPEATED_REQUEST:
        return _REPEATED.size
    if m.type == Type.TENSOR_CONTENT:
        return _padded(_CONTENT.size + len(content))
    rank = len(m.metadata.shape) if m.metadata else 0
    return _padded(_HEADER.size + 8 * rank + len(m.name.encode()) + len(content) + len(m.status_text.encode()))


def _padded(size):
    return (size + 7) & ~7


def encode(m, longest):
    """The bytes of `m`; ValueError if they are more than `longest`. The text of a status is cut to fit."""
    shape = m.metadata.shape if m.metadata else ()
    name, content = m.name.encode(), m.content or b""
    room = max(0, longest - _HEADER.size - len(name))
    text = m.status_text.encode()[:min(65535, room)].decode(errors="ignore")
    length = length_of(dataclasses.replace(m, status_text=text))
    if length > longest:
        raise ValueError(f"{length} bytes are more than {longest}")
    if m.type == Type.REPEATED_REQUEST:
        return _REPEATED.pack(MAGIC, VERSION, m.type, length, m.step_id, m.request_index, m.rkey, m.remote_addr, m.name_id, 0)
    if m.type == Type.TENSOR_CONTENT:
        header = _CONTENT.pack(MAGIC, VERSION, m.type, length, m.step_id, m.request_index, len(content))
        return (header + content).ljust(length, b"\0")
    flags = (_HAS_CHECKSUM if m.checksum is not None else 0) | (_WANTS_CHECKSUM if m.wants_checksum else 0)
    flags |= (_TO_SENDER if m.to_sender else 0) | (_REPLAY if m.replay else 0)
    flags |= _HAS_CONTENT if m.content is not None else 0
    if m.metadata:
        flags |= _HAS_META_DATA | (_IS_DEAD if m.metadata.dead else 0)
    header = _HEADER.pack(
        MAGIC, VERSION, m.type, length, m.step_id, m.request_index, m.rkey, m.remote_addr,
        m.metadata.tensor_bytes if m.metadata else 0, m.checksum or 0, m.name_id,
        m.metadata.dtype if m.metadata else 0,
        flags, len(shape), len(name), m.status_code, len(text.encode()))
    return (header + struct.pack(f"<{len(shape)}q", *shape) + name + content + text.encode()).ljust(length, b"\0")


def joined(parts):
    """Several encoded messages for one slot: all but the last say that another follows."""
    return b"".join(part[:3] + bytes([part[3] | _MORE]) + part[4:] for part in parts[:-1]) + parts[-1]


def decode_slot(slot):
    """The messages of a slot, a copy of it, in their order; Violation where any byte is not as it must be."""
    found = []
    at, more = 0, True
    while more:
        _require(len(slot) - at >= _CONTENT.size, "nothing follows")
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
    if slot[3] == Type.TENSOR_CONTENT:
        return _decode_content(slot)
    _require(len(slot) >= _HEADER.size, "length")
    (magic, version, kind, length, step, index, rkey, address, tensor_bytes, checksum, name_id, dtype, flags, rank,
     name_size, code, text_size) = _HEADER.unpack_from(slot)
    _require(magic == MAGIC and version == VERSION and kind in Type._value2member_map_, "magic, version or type")
    kind = Type(kind)
    _require(rank <= 254 and text_size <= 65535, "rank or text")
    names = _HEADER.size + 8 * rank
    texts = names + name_size + (tensor_bytes if flags & _HAS_CONTENT else 0)
    end = texts + text_size
    _require(length == _padded(end) and length <= len(slot), "length")
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
        text = slot[texts:end].decode()
    except UnicodeDecodeError as e:
        raise Violation(f"malformed {kind.name}: {e}") from e
    return Message(kind, step, index, metadata, address, rkey, checksum if flags & _HAS_CHECKSUM else None,
                   bool(flags & _WANTS_CHECKSUM), bool(flags & _TO_SENDER), bool(flags & _REPLAY), name, name_id, code, text,
                   slot[names:texts] if flags & _HAS_CONTENT else None)


def _decode_repeated(slot):
    _require(len(slot) >= _REPEATED.size, "length")
    magic, version, kind, length, step, index, rkey, address, name_id, zero = _REPEATED.unpack_from(slot)
    _require(magic == MAGIC and version == VERSION and length == _REPEATED.size, "magic, version or length")
    _require(0 < name_id <= NAME_IDS and not zero, "name id")
    return Message(Type(kind), step, index, remote_addr=address, rkey=rkey, name_id=name_id)


def _decode_content(slot):
    magic, version, kind, length, step, index, size = _CONTENT.unpack_from(slot)
    end = _CONTENT.size + size
    _require(magic == MAGIC and version == VERSION, "magic or version")
    _require(length == _padded(end) and length <= len(slot), "length")
    _require(not any(slot[end:length]), "padding")
    return Message(Type(kind), step, index, content=slot[_CONTENT.size:end])


def _require(condition, what):
    if not condition:
        raise Violation(f"malformed message: {what}")
