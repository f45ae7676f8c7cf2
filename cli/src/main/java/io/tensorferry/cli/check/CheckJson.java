package io.tensorferry.cli.check;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tensorferry.cli.console.Json;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Prints a check for scripts: one object at the end, with the completed steps. Times are in nanoseconds.
final class CheckJson implements CheckOutput {
    private final PrintWriter out;
    private final JsonObject object = new JsonObject();

    CheckJson(PrintWriter out) {
        this.out = out;
        object.addProperty("ok", true);
        object.add("failure", JsonNull.INSTANCE);
    }

    @Override
    public void connected(WorkerAddress target, InetAddress own, long tookNs) {
        object.addProperty("target", target.toString());
        object.addProperty("own_address", own.getHostAddress());
        object.addProperty("tcp_connect_ns", tookNs);
    }

    @Override
    public void channel(ChannelDescription channel, long tookNs) {
        object.addProperty("set_up_ns", tookNs);
        object.addProperty("mtu", channel.mtu());
        object.addProperty("lanes", channel.lanes());
        object.addProperty("ring_slots", channel.ringSlots());
        object.addProperty("slot_bytes", channel.slotBytes());
        object.addProperty("receive_depth", channel.receiveDepth());
        object.addProperty("send_depth", channel.sendDepth());
        object.addProperty("max_write_bytes", channel.maxWriteBytes());
        JsonObject own = end(channel.queuePairs());
        own.addProperty("device", channel.device());
        own.addProperty("port", channel.port());
        object.add("own", own);
        object.add("other", end(channel.peerQueuePairs()));
    }

    private static JsonObject end(List<QueuePairAddress> queuePairs) {
        var end = new JsonObject();
        end.addProperty("gid", queuePairs.getFirst().gid().toString());
        end.addProperty("lid", queuePairs.getFirst().lid());
        end.add("queue_pairs", Json.array(queuePairs, pair -> new JsonPrimitive(pair.queuePairNumber())));
        return end;
    }

    @Override
    public void answer(Answer answer, String way, @Nullable String gpu) {
        JsonObject own = object.getAsJsonObject("own");
        own.addProperty("way", way);
        own.addProperty("gpu", gpu);
        JsonObject other = object.getAsJsonObject("other");
        other.addProperty("device", answer.device());
        other.addProperty("port", answer.port());
        other.addProperty("version", answer.version());
        other.addProperty("way", answer.way());
        other.addProperty("gpu", answer.gpu());
    }

    @Override
    public void received(List<Timing> timings) {
        object.add("received", Json.array(timings, CheckJson::timing));
    }

    @Override
    public void sent(List<Timing> timings) {
        object.add("sent", Json.array(timings, CheckJson::timing));
    }

    @Override
    public void gpus(@Nullable GpuPaths own, @Nullable GpuPaths other) {
        object.getAsJsonObject("own").add("gpu_paths", paths(own));
        object.getAsJsonObject("other").add("gpu_paths", paths(other));
    }

    private static JsonElement paths(@Nullable GpuPaths paths) {
        if (paths == null) {
            return JsonNull.INSTANCE;
        }
        var object = new JsonObject();
        object.addProperty("sent_by", paths.sent());
        object.addProperty("received_by", paths.received());
        object.addProperty("bytes", paths.bytes());
        object.addProperty("copied_from_gpu_bytes", paths.copiedFromGpu());
        object.addProperty("copied_to_gpu_bytes", paths.copiedToGpu());
        object.addProperty("gpu_direct", paths.direct());
        return object;
    }

    private static JsonObject timing(Timing timing) {
        var row = new JsonObject();
        row.addProperty("bytes", timing.bytes());
        row.addProperty("rounds", timing.rounds());
        row.addProperty("first_ns", timing.firstNs());
        row.addProperty("best_ns", timing.bestNs());
        row.addProperty("median_ns", timing.medianNs());
        row.addProperty("p99_ns", timing.p99Ns());
        return row;
    }

    @Override
    public void failed(String why) {
        object.addProperty("ok", false);
        object.addProperty("failure", why);
    }

    @Override
    public void end() {
        out.println(Json.pretty(object));
        out.flush();
    }
}
