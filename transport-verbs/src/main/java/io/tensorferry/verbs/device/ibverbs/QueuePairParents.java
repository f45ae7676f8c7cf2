package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.OpenChildren;

/// The parents of a queue pair, which it keeps from being closed.
record QueuePairParents(
        IbverbsDevice device,
        IbverbsProtectionDomain domain,
        IbverbsCompletionQueue sendCompletions,
        IbverbsCompletionQueue receiveCompletions) {
    private static final String CREATE = "ibv_create_qp";

    /// Checks the options and counts a queue pair at each parent.
    ///
    /// @throws VerbsException EINVAL for an option that the device does not support; ENOMEM if the device's limit is
    ///     reached
    static QueuePairParents adopt(IbverbsDevice device, IbverbsProtectionDomain domain, QueuePairOptions options) {
        requireDepth("send", options.sendDepth(), device);
        requireDepth("receive", options.receiveDepth(), device);
        if (options.inlineBytes() < 0) {
            throw invalid("the inline bytes " + options.inlineBytes() + " are negative");
        }
        var parents = new QueuePairParents(
                device, domain, own(options.sendCompletions(), device), own(options.receiveCompletions(), device));
        OpenChildren.add(CREATE, parents.counters());
        return parents;
    }

    private static void requireDepth(String queue, int depth, IbverbsDevice device) {
        int most = device.attributes().maxWorkRequests();
        if (depth < 1 || depth > most) {
            throw invalid("the " + queue + " depth " + depth + " is not in 1.." + most + " of " + device.name());
        }
    }

    private static IbverbsCompletionQueue own(CompletionQueue queue, IbverbsDevice device) {
        if (queue instanceof IbverbsCompletionQueue own && own.belongsTo(device)) {
            return own;
        }
        throw invalid("the completion queue belongs to another device");
    }

    private OpenChildren[] counters() {
        return new OpenChildren[] {
            device.queuePairs(), domain.children(), sendCompletions.uses(), receiveCompletions.uses()
        };
    }

    /// Releases the parents of a destroyed queue pair.
    void release() {
        for (OpenChildren counter : counters()) {
            counter.remove();
        }
    }

    private static VerbsException invalid(String detail) {
        return new VerbsException(CREATE, VerbsException.EINVAL, detail);
    }
}
