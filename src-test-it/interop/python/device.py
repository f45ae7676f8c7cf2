"""The RDMA device: port, GID, memory and connected queue pairs, over pyverbs (docs/protocol.md, section 5)."""

import dataclasses
import secrets
import socket

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

WRITABLE_BY_PEER = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE
READ_BY_DEVICE = 0

_MTU_BYTES = {e.IBV_MTU_256: 256, e.IBV_MTU_512: 512, e.IBV_MTU_1024: 1024, e.IBV_MTU_2048: 2048, e.IBV_MTU_4096: 4096}
_FABRICS = {e.IBV_LINK_LAYER_ETHERNET: "roce", e.IBV_LINK_LAYER_INFINIBAND: "infiniband"}
_MTU_ENUM = {size: enum for enum, size in _MTU_BYTES.items()}

# The bits of a transition's mask, beside IBV_QP_STATE: exactly the rows of the table in section 5.
_TO_INIT = e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT | e.IBV_QP_ACCESS_FLAGS
_TO_RTR = (e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN
           | e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER)
_TO_RTS = (e.IBV_QP_STATE | e.IBV_QP_SQ_PSN | e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT | e.IBV_QP_RNR_RETRY
           | e.IBV_QP_MAX_QP_RD_ATOMIC)

# The *from config* rows of section 5.
# Not 7 times: that is for ever on Soft-RoCE, and a write to a queue pair that is gone would never fail.
PKEY_INDEX, SERVICE_LEVEL, TRAFFIC_CLASS, TIMEOUT, RETRY_COUNT = 0, 0, 0, 14, 6


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a queue pair is: the message `Channel` of the set-up, without protobuf."""

    lid: int
    qpn: int
    psn: int
    snp: int
    iid: int

    @property
    def gid(self):
        """The GID in the eight groups that pyverbs wants."""
        digits = f"{self.snp:016x}{self.iid:016x}"
        return ":".join(digits[i:i + 4] for i in range(0, 32, 4))


class Device:
    """One port of one device, with one protection domain for everything."""

    def __init__(self, name, port, gid_index):
        self.context = Context(name=name)
        self.pd = PD(self.context)
        self.port = port
        self.gid_index = gid_index
        attributes = self.context.query_port(port)
        self.lid = attributes.lid
        self.fabric = _FABRICS[attributes.link_layer]
        self.mtu = _MTU_BYTES[attributes.active_mtu]
        self.max_message_bytes = attributes.max_msg_sz
        gid = bytes.fromhex(self.context.query_gid(port, gid_index).gid.replace(":", ""))
        if not any(gid):
            raise SystemExit(f"GID {gid_index} of {name} is not set")
        self.snp, self.iid = int.from_bytes(gid[:8], "big"), int.from_bytes(gid[8:], "big")

    def register(self, size, access):
        """New memory of `size` bytes (1 or more), registered; the peer may write it if `access` says so."""
        return MR(self.pd, size, access)

    def completion_queue(self, entries):
        return CQ(self.context, entries)

    def close(self):
        self.pd.close()
        self.context.close()


class QueuePair:
    """A reliable connected queue pair. Made in INIT; `connect` takes it to RTS."""

    def __init__(self, device, cq, send_depth, receive_depth):
        self.device = device
        self.psn = secrets.randbits(24)
        cap = QPCap(max_send_wr=send_depth, max_recv_wr=receive_depth, max_send_sge=1, max_recv_sge=1, max_inline_data=0)
        self.qp = QP(device.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap, sq_sig_all=1))
        attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=device.port)
        attr.pkey_index = PKEY_INDEX
        attr.qp_access_flags = e.IBV_ACCESS_REMOTE_WRITE
        self.qp.modify(attr, _TO_INIT)

    @property
    def address(self):
        return Address(self.device.lid, self.qp.qp_num, self.psn, self.device.snp, self.device.iid)

    def connect(self, partner, mtu):
        """INIT -> RTR -> RTS, to the queue pair at `partner`, an Address."""
        route = GlobalRoute(sgid_index=self.device.gid_index)
        ah = AHAttr(dlid=partner.lid, sl=SERVICE_LEVEL, port_num=self.device.port, is_global=1, gr=route)
        ah.dgid = partner.gid
        ah.hop_limit = 255
        ah.traffic_class = TRAFFIC_CLASS
        attr = QPAttr(qp_state=e.IBV_QPS_RTR)
        attr.ah_attr = ah
        attr.path_mtu = _MTU_ENUM[mtu]
        attr.dest_qp_num = partner.qpn
        attr.rq_psn = partner.psn
        attr.max_dest_rd_atomic = 1
        attr.min_rnr_timer = 12
        self.qp.modify(attr, _TO_RTR)
        attr = QPAttr(qp_state=e.IBV_QPS_RTS)
        attr.sq_psn = self.psn
        attr.timeout = TIMEOUT
        attr.retry_cnt = RETRY_COUNT
        attr.rnr_retry = 7
        attr.max_rd_atomic = 1
        self.qp.modify(attr, _TO_RTS)

    def post_receive(self, wr_id):
        """A receive without memory: it takes one immediate."""
        wr = RecvWR(wr_id=wr_id, num_sge=1, sg=[SGE(0, 0, 0)])  # pyverbs wants an entry when it makes one
        wr.num_sge = 0
        self.qp.post_recv(wr)

    def post_write(self, wr_id, local, remote_addr, rkey, immediate=None):
        """An RDMA WRITE of `local`, (address, length, lkey) or None for no bytes; with immediate unless that is None."""
        opcode = e.IBV_WR_RDMA_WRITE if immediate is None else e.IBV_WR_RDMA_WRITE_WITH_IMM
        # pyverbs hands imm_data through as it is: the caller puts it into network order.
        wr = SendWR(wr_id, opcode=opcode, num_sge=1, sg=[SGE(*(local or (0, 0, 0)))],
                    imm_data=socket.htonl(immediate or 0))
        wr.num_sge = 1 if local else 0
        wr.set_wr_rdma(rkey, remote_addr)
        self.qp.post_send(wr)

    def to_error(self):
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)

    def close(self):
        self.qp.close()


def immediate(wc):
    """The immediate of a receive's completion, as a number."""
    return socket.ntohl(wc.imm_data)
