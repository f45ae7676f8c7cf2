"""The messages of proto/src/main/protobuf as Python classes, made when this module is loaded.

protoc (from PATH, or the one that PROTOC names) turns the files into descriptors; the protobuf runtime makes classes
of these. So no generated code is kept anywhere, and protoc and the runtime need not be of one version.
"""

import os
import pathlib
import subprocess

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

_PACKAGE = "io.tensorferry.proto."
_ROOT = pathlib.Path(__file__).resolve().parents[3] / "proto/src/main/protobuf"
_FILES = ("verbs_service.proto", "tensor.proto")


def _load():
    command = [os.environ.get("PROTOC", "protoc"), f"--proto_path={_ROOT}", "--descriptor_set_out=/dev/stdout"]
    command += [f"{_ROOT}/io/tensorferry/proto/{name}" for name in _FILES]
    files = descriptor_pb2.FileDescriptorSet.FromString(subprocess.run(command, check=True, capture_output=True).stdout)
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


_POOL = _load()
# Runtimes before 4.22 have only the factory object, those after it only the function.
_CLASS_OF = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(_POOL).GetPrototype


def _message(name):
    return _CLASS_OF(_POOL.FindMessageTypeByName(_PACKAGE + name))


SERVICE = _PACKAGE + "VerbsService"
DecodeError = message.DecodeError

ConnectionParameters = _message("ConnectionParameters")
GetRemoteAddressRequest = _message("GetRemoteAddressRequest")
GetRemoteAddressResponse = _message("GetRemoteAddressResponse")
ConfirmReadyRequest = _message("ConfirmReadyRequest")
ConfirmReadyResponse = _message("ConfirmReadyResponse")
TensorProto = _message("TensorProto")

ACCEPTED = 1
YIELD = 2
