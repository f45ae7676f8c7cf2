package io.tensorferry.grpc.security.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.TestAuthority;
import io.tensorferry.grpc.security.TransportSecurity;
import java.nio.file.Path;
import java.security.Principal;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {
    @Test
    void theCertificateIsPresentedWhicheverAuthoritiesTheOtherEndAccepts(@TempDir Path folder) {
        String worker = TestAuthority.worker(0);
        TransportSecurity files = TestAuthority.create("authority").files(folder, worker);
        Credentials credentials = Credentials.of(TlsFiles.read(files), files, worker);
        X509ExtendedKeyManager manager = credentials.keyManager();
        Principal[] others = {new X500Principal("CN=another authority")};

        String client = manager.chooseEngineClientAlias(new String[] {"RSA"}, others, null);
        assertThat(manager.getCertificateChain(client)).containsExactlyElementsOf(credentials.chain());
        assertThat(manager.getPrivateKey(client)).isSameAs(credentials.key());

        String server = manager.chooseEngineServerAlias("RSA", others, null);
        assertThat(manager.getCertificateChain(server)).containsExactlyElementsOf(credentials.chain());
        assertThat(manager.getPrivateKey(server)).isSameAs(credentials.key());
    }
}
