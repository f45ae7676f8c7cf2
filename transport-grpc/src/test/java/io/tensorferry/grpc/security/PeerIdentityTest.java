package io.tensorferry.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.pkitesting.CertificateBuilder;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;

class PeerIdentityTest {
    private static final String WORKER = "/job:worker/replica:0/task:1";

    private static X509Certificate certificate(String... uris) throws Exception {
        var builder = new CertificateBuilder().subject("CN=worker").ecp256().setIsCertificateAuthority(true);
        builder.addSanDnsName("worker-1.example.org");
        for (String uri : uris) {
            builder.addSanUriName(uri);
        }
        return builder.buildSelfSigned().getCertificate();
    }

    @Test
    void aWorkerIsNamedByItsUriAndNothingElse() throws Exception {
        PeerIdentity identity = PeerIdentity.workerUri();
        assertThat(identity.isOf(certificate("tensorferry:" + WORKER), WORKER)).isTrue();
        assertThat(identity.isOf(certificate("tensorferry:/job:ps/replica:0/task:0", "tensorferry:" + WORKER), WORKER))
                .as("one of several")
                .isTrue();
        assertThat(identity.isOf(certificate(), WORKER))
                .as("neither host nor subject")
                .isFalse();
        for (String other : new String[] {
            "tensorferry:/job:worker/replica:0/task:10",
            "tensorferry:/job:worker/replica:0/task:1/device:CPU:0",
            "tensorferry:/job:worker/replica:0/task:1/",
            "TENSORFERRY:/job:Worker/replica:0/task:1",
            "tensorferry://host/job:worker/replica:0/task:1",
            "https://example.org/job:worker/replica:0/task:1"
        }) {
            assertThat(identity.isOf(certificate(other), WORKER)).as(other).isFalse();
        }
    }

    @Test
    void spiffeNamesTheTrustDomainToo() throws Exception {
        PeerIdentity identity = PeerIdentity.spiffe("cluster-7.example.org");
        String path = "/job/worker/replica/0/task/1";
        assertThat(identity.isOf(certificate("spiffe://cluster-7.example.org" + path), WORKER))
                .isTrue();
        assertThat(identity.isOf(certificate("spiffe://cluster-8.example.org" + path), WORKER))
                .isFalse();
        assertThat(identity.isOf(certificate("spiffe://cluster-7.example.org" + path + "0"), WORKER))
                .isFalse();
        assertThat(identity.isOf(certificate("tensorferry:" + WORKER), WORKER)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PeerIdentity.spiffe("a/b"))
                .withMessageContaining("trust domain 'a/b' must be");
    }
}
