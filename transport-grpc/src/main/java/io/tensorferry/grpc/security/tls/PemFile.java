package io.tensorferry.grpc.security.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The content of one PEM file. Every failure is an [IllegalArgumentException] that names the file and the remedy, and
/// never contains a part of a key.
final class PemFile {
    private static final int MAX_BYTES = 4 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,64})-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");

    private final String what;
    private final Path path;
    private final String text;

    private PemFile(String what, Path path, String text) {
        this.what = what;
        this.path = path;
        this.text = text;
    }

    /// Reads a file of at most 4 MiB.
    ///
    /// @param what the purpose of the file, as `certificate`
    static PemFile read(String what, Path path) {
        byte[] content;
        try (InputStream file = Files.newInputStream(path)) {
            content = file.readNBytes(MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "the " + what + " file " + path + " does not exist; it must be a PEM file", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the " + what + " file " + path + " cannot be read (" + e
                            + "); it must be a PEM file that this process may read",
                    e);
        }
        if (content.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the " + what + " file " + path + " has more than " + MAX_BYTES + " bytes; it must be a PEM file");
        }
        return new PemFile(what, path, new String(content, StandardCharsets.ISO_8859_1));
    }

    /// All certificates in the file, in order; at least one.
    List<X509Certificate> certificates() {
        var certificates = new ArrayList<X509Certificate>();
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            if (block.group(1).equals("CERTIFICATE")) {
                certificates.add(certificate(block.group(2), certificates.size() + 1));
            }
        }
        if (certificates.isEmpty()) {
            throw wrong("has no certificate; it must hold PEM blocks '-----BEGIN CERTIFICATE-----'", null);
        }
        return certificates;
    }

    private X509Certificate certificate(String base64, int number) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(decode(base64)));
        } catch (CertificateException e) {
            throw wrong("has a certificate, number " + number + ", that is none (" + e.getMessage() + ")", e);
        }
    }

    /// The private key that matches `publicKey`.
    PrivateKey privateKeyOf(PublicKey publicKey, Path certificate) {
        PrivateKey key = parse(pkcs8(), publicKey, certificate);
        if (!belongTogether(key, publicKey)) {
            throw wrong("has another key than that of the certificate in " + certificate, null);
        }
        return key;
    }

    private PrivateKey parse(byte[] pkcs8, PublicKey publicKey, Path certificate) {
        try {
            return KeyFactory.getInstance(publicKey.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException e) {
            throw wrong(
                    "has no " + publicKey.getAlgorithm() + " key, which the certificate in " + certificate + " needs",
                    e);
        }
    }

    private byte[] pkcs8() {
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            switch (block.group(1)) {
                case "PRIVATE KEY" -> {
                    return decode(block.group(2));
                }
                case "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY" ->
                    throw wrong(
                            "holds a '" + block.group(1)
                                    + "'; it must be PKCS#8 and not encrypted: openssl pkcs8 -topk8 -nocrypt -in "
                                    + path,
                            null);
                default -> {
                    // A block of another type in the same file.
                }
            }
        }
        throw wrong("has no private key; it must hold a PEM block '-----BEGIN PRIVATE KEY-----'", null);
    }

    private static boolean belongTogether(PrivateKey key, PublicKey publicKey) {
        String algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> publicKey.getAlgorithm();
        };
        byte[] message = "whose key is it".getBytes(StandardCharsets.US_ASCII);
        try {
            var signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(message);
            byte[] signature = signing.sign();
            signing.initVerify(publicKey);
            signing.update(message);
            return signing.verify(signature);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    private byte[] decode(String base64) {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw wrong("is damaged: a PEM block is not Base64", e);
        }
    }

    private IllegalArgumentException wrong(String why, @Nullable Exception cause) {
        return new IllegalArgumentException("the " + what + " file " + path + " " + why, cause);
    }

    boolean hasSameText(PemFile other) {
        return text.equals(other.text);
    }
}
