package io.tensorferry.grpc.admission;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/// Closes a plaintext connection that does not begin with the HTTP/2 preface. gRPC would close it too, but print a
/// stack trace for each: a worker with TLS that dials ten times a second would fill the disk with them.
///
/// Threading: the event loop of its connection.
final class PrefaceCheck extends ChannelInboundHandlerAdapter {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int TLS_HANDSHAKE = 0x16;

    private final Refusals refusals;
    private int seen;
    private boolean refused;

    PrefaceCheck(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!refused && message instanceof ByteBuf bytes) {
            check(context, bytes);
        }
        if (refused) {
            boolean _ = ReferenceCountUtil.release(message);
            return;
        }
        if (seen == PREFACE.length) {
            var _ = context.pipeline().remove(this);
        }
        context.fireChannelRead(message);
    }

    private void check(ChannelHandlerContext context, ByteBuf bytes) {
        int first = bytes.readerIndex();
        for (int i = first; i < bytes.writerIndex() && seen < PREFACE.length; i++) {
            byte next = bytes.getByte(i);
            if (next != PREFACE[seen]) {
                refused = true;
                refusals.connection("the one from " + context.channel().remoteAddress()
                        + (seen == 0 && next == TLS_HANDSHAKE
                                ? " speaks TLS, and this worker has none"
                                : " does not speak HTTP/2"));
                var _ = context.close();
                return;
            }
            seen++;
        }
    }
}
