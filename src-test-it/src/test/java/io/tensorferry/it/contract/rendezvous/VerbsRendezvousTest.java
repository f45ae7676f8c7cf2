package io.tensorferry.it.contract.rendezvous;

import org.junit.jupiter.api.Nested;

/// The rendezvous contract over `grpc+verbs`.
class VerbsRendezvousTest {
    private static final String PROTOCOL = "grpc+verbs";

    @Nested
    class Ownership extends OwnershipContract {
        Ownership() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Order extends OrderContract {
        Order() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Content extends ContentContract {
        Content() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Size extends SizeContract {
        Size() {
            super(PROTOCOL);
        }
    }

    @Nested
    class MetaData extends MetaDataContract {
        MetaData() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Ending extends EndingContract {
        Ending() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        Concurrency() {
            super(PROTOCOL);
        }
    }

    @Nested
    class Refusal extends RefusalContract {
        Refusal() {
            super(PROTOCOL);
        }
    }
}
