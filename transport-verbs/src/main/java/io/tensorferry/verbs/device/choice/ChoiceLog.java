package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RdmaSetting;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.choice.ChoiceExplanation.Taken;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs the choice with its reason and the unusable candidates; all other candidates at debug level.
final class ChoiceLog {
    // One logger name for all messages about the choice.
    private static final Logger LOG = LoggerFactory.getLogger(DeviceChoice.class);

    private ChoiceLog() {}

    static void report(RdmaConfig config, ChoiceExplanation explanation) {
        Taken taken = explanation.taken();
        if (taken == null) {
            // The exception contains the reasons.
            reportAll(explanation);
        } else if (DeviceChoice.isSoftware(taken.device().provider()) && config.device() == null) {
            reportSoftwareDevice(explanation, taken);
            reportAll(explanation);
        } else {
            LOG.info("RDMA device: {}; it {}", taken, taken.device().reason());
            explanation.refusals().forEach(refusal -> LOG.info("not usable: {}", refusal));
            reportOtherAddresses(taken);
            reportAll(explanation);
        }
        if (taken != null) {
            reportIgnored(config, taken);
        }
    }

    private static void reportSoftwareDevice(ChoiceExplanation explanation, Taken taken) {
        String name = taken.device().name();
        String reasons = String.join("; ", explanation.refusals());
        if (explanation.devices().anyMatch(device -> device.verdict() == Verdict.REFUSED)) {
            LOG.warn("no RDMA device is usable, so tensors travel over the software device {}: {}", name, reasons);
        } else if (reasons.isEmpty()) {
            LOG.info("no RDMA device is present: tensors travel over the software device {}", name);
        } else {
            LOG.info("no RDMA device is present: tensors travel over the software device {} ({})", name, reasons);
        }
    }

    /// Several equally preferred addresses are a frequent reason why two ends cannot reach each other.
    private static void reportOtherAddresses(Taken taken) {
        List<GidCandidate> gids = takenPort(taken).gids();
        List<GidEntry> equal = gids.stream()
                .filter(candidate -> candidate.verdict() != Verdict.REFUSED)
                .map(GidCandidate::entry)
                .filter(entry ->
                        entry.type() == GidEntry.Type.ROCE_V2 && entry.gid().isIpv4Mapped())
                .toList();
        if (equal.size() > 1) {
            LOG.info(
                    "port {} of {} has {} GIDs with an IPv4 address: {}; set {} to choose another than {}",
                    taken.port(),
                    taken.device().name(),
                    equal.size(),
                    equal,
                    RdmaSetting.GID_INDEX.variable(),
                    taken.gid().index());
        }
    }

    private static PortCandidate takenPort(Taken taken) {
        return taken.device().ports().get(taken.port() - 1);
    }

    private static void reportAll(ChoiceExplanation explanation) {
        if (!LOG.isDebugEnabled()) {
            return;
        }
        explanation.devices().forEach(device -> {
            LOG.debug("{} ({}), {}: it {}", device.name(), device.provider(), device.verdict(), device.reason());
            for (PortCandidate port : device.ports()) {
                LOG.debug(
                        "port {} of {}, {}: {}; {}",
                        port.number(),
                        device.name(),
                        port.verdict(),
                        port.reason(),
                        port.attributes());
                for (GidCandidate gid : port.gids()) {
                    LOG.debug("{}, {}: {}", gid.entry(), gid.verdict(), gid.reason());
                }
            }
        });
    }

    private static void reportIgnored(RdmaConfig config, Taken taken) {
        if (DeviceChoice.isSoftware(taken.device().provider())
                && (config.serviceLevel() != 0 || config.trafficClass() != 0)) {
            LOG.debug(
                    "service level {} and traffic class {} have no effect on the software device {}",
                    config.serviceLevel(),
                    config.trafficClass(),
                    taken.device().name());
        }
    }
}
