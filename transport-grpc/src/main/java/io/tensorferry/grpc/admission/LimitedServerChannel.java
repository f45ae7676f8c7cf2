package io.tensorferry.grpc.admission;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;

/// A listening socket that closes connections that [Connections] does not admit, before it allocates resources for
/// them.
public final class LimitedServerChannel extends NioServerSocketChannel {
    private final Connections connections;

    public LimitedServerChannel(Connections connections) {
        this.connections = connections;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        int before = accepted.size();
        int read = super.doReadMessages(accepted);
        if (accepted.size() > before && accepted.getLast() instanceof Channel newest && !connections.admit(newest)) {
            accepted.removeLast();
            newest.unsafe().closeForcibly();
            return 0;
        }
        return read;
    }
}
