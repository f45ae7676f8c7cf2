package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// The rendezvous contract over `grpc`.
class GrpcRendezvousTest extends RendezvousContracts {
    GrpcRendezvousTest() {
        super(Protocol.GRPC);
    }

    @Nested
    class Edge extends RendezvousContract {
        Edge() {
            super(Protocol.GRPC);
        }

        @Test
        void nobodyCanWriteIntoAConsumersMemory() {
            StaticEdge edge = StaticEdge.of(key("edge"), DataType.FLOAT, Shape.of(10));
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> producer().openSender(edge))
                    .withMessageContaining("UNIMPLEMENTED")
                    .withMessageContaining("grpc+verbs");
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> consumer().openReceiver(edge));
        }
    }
}
