package io.tensorferry.verbs.wire;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A control message between the receiver of a tensor, who owns the request, and its sender. Immutable.
///
/// A message that exists obeys the protocol: the constructors throw [IllegalArgumentException] for what may not be
/// sent.
public sealed interface Message {
    /// The step of the request.
    long stepId();

    /// The receiver's [RequestIndex] of the request.
    int requestIndex();

    /// Receiver to sender: asks for the tensor of a key, and tells where to write it if its metadata is as the
    /// receiver believes.
    ///
    /// @param key the rendezvous key as it is printed; not empty, well-formed Unicode
    /// @param metaData what the receiver has allocated for, or null where it knows nothing yet; then `address` and
    ///     `remoteKey` are 0
    /// @param address where the content goes; 0 where there is none (`metaData.byteSize()` is 0)
    /// @param remoteKey the key of the memory at `address`; 0 where there is no content
    /// @param wantsChecksum whether the receiver validates data, so that it needs a [MetaDataResponse] with a
    ///     checksum
    record TensorRequest(
            long stepId,
            int requestIndex,
            String key,
            @Nullable TensorMetaData metaData,
            long address,
            int remoteKey,
            boolean wantsChecksum)
            implements Message {
        public TensorRequest {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkKey(key);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }
    }

    /// Sender to receiver: the tensor is not what the request expected; this is what it is. The sender keeps the
    /// tensor until the [TensorReRequest].
    ///
    /// @param checksum the [Checksum] of the content, where the request asked for it
    record MetaDataResponse(long stepId, int requestIndex, TensorMetaData metaData, OptionalLong checksum)
            implements Message {
        public MetaDataResponse {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkChecksum(checksum);
        }
    }

    /// Receiver to sender: memory for the tensor that the sender described is allocated here; write it.
    ///
    /// @param address where the content goes; 0 where there is none (`metaData.byteSize()` is 0)
    /// @param remoteKey the key of the memory at `address`; 0 where there is no content
    record TensorReRequest(long stepId, int requestIndex, TensorMetaData metaData, long address, int remoteKey)
            implements Message {
        public TensorReRequest {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }
    }

    /// The request ends without content: the sender failed it, or the receiver gave it up.
    ///
    /// @param code not [StatusCode#OK]
    /// @param message for a person to read; cut to what fits when it is encoded
    record ErrorStatus(long stepId, int requestIndex, Direction direction, StatusCode code, String message)
            implements Message {
        public ErrorStatus {
            MessageRules.checkRequestIndex(requestIndex);
            if (code == StatusCode.OK) {
                throw new IllegalArgumentException("an error status with the code OK");
            }
        }
    }

    /// Who is told by an [ErrorStatus].
    enum Direction {
        /// The sender cannot serve the request; it will write nothing any more.
        TO_RECEIVER,
        /// The receiver gave the request up; the sender is to drop it.
        TO_SENDER
    }
}
