package io.tensorferry.it.contract.rendezvous;

import org.junit.jupiter.api.Nested;

/// Every theme of the rendezvous contract: the one list that each protocol has to pass.
abstract class RendezvousContracts {
    private final Protocol protocol;

    RendezvousContracts(Protocol protocol) {
        this.protocol = protocol;
    }

    @Nested
    class Ownership extends OwnershipContract {
        Ownership() {
            super(protocol);
        }
    }

    @Nested
    class Order extends OrderContract {
        Order() {
            super(protocol);
        }
    }

    @Nested
    class Content extends ContentContract {
        Content() {
            super(protocol);
        }
    }

    @Nested
    class Size extends SizeContract {
        Size() {
            super(protocol);
        }
    }

    @Nested
    class MetaData extends MetaDataContract {
        MetaData() {
            super(protocol);
        }
    }

    @Nested
    class Ending extends EndingContract {
        Ending() {
            super(protocol);
        }
    }

    @Nested
    class Finish extends FinishContract {
        Finish() {
            super(protocol);
        }
    }

    @Nested
    class Deadline extends DeadlineContract {
        Deadline() {
            super(protocol);
        }
    }

    @Nested
    class Options extends ReceiveOptionsContract {
        Options() {
            super(protocol);
        }
    }

    @Nested
    class Limit extends LimitContract {
        Limit() {
            super(protocol);
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        Concurrency() {
            super(protocol);
        }
    }

    @Nested
    class Refusal extends RefusalContract {
        Refusal() {
            super(protocol);
        }
    }
}
