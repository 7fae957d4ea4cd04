interface NetworkFault {
  readonly why: string;
  readonly fix: string;
}

const RENEW = 'Renew the certificate of that server, and reload the server.';
const CHAIN =
  'Configure the server to send its full chain (certificate and intermediates), or add its CA with NODE_EXTRA_CA_CERTS in the environment of the service. Node does not read that variable from .env.';

const CERTIFICATES: Readonly<Record<string, NetworkFault>> = {
  CERT_HAS_EXPIRED: { why: 'its certificate has expired', fix: RENEW },
  CERT_NOT_YET_VALID: {
    why: 'its certificate is not valid yet',
    fix: `${RENEW} Or correct the clock of this machine.`,
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'its certificate is self-signed', fix: CHAIN },
  SELF_SIGNED_CERT_IN_CHAIN: { why: 'its certificate was issued by an unknown CA', fix: CHAIN },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { why: 'it does not send the intermediate certificates', fix: CHAIN },
  UNABLE_TO_GET_ISSUER_CERT: { why: 'it does not send the intermediate certificates', fix: CHAIN },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { why: 'its certificate was issued by an unknown CA', fix: CHAIN },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is for another host name',
    fix: 'Get a certificate for this host name, or use the host name of the certificate.',
  },
  CERT_REVOKED: { why: 'its certificate was revoked', fix: RENEW },
};

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'its host name cannot be resolved',
  EAI_AGAIN: 'DNS does not respond',
  EHOSTUNREACH: 'there is no route to it from this machine',
  ENETUNREACH: 'there is no route to it from this machine',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closes the connection',
  EPIPE: 'it closes the connection',
  UND_ERR_SOCKET: 'it closes the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EPROTOCOL: 'it does not speak SMTP',
  UND_ERR_HEADERS_OVERFLOW: 'its HTTP headers are too large',
};

/** Returns undefined if the code is not about the certificate. */
export const certificateFault = (code: string | undefined): NetworkFault | undefined =>
  code === undefined ? undefined : CERTIFICATES[code];

export function inWords(code: string | undefined): string {
  if (code === undefined) return 'it cannot be reached';
  if (/^(EPROTO$|ERR_SSL_)/.test(code)) return `the TLS handshake fails (${code})`;
  if (code.startsWith('HPE_')) return `it does not speak HTTP (${code})`;
  return CERTIFICATES[code]?.why ?? NETWORK[code] ?? `it cannot be reached (${code})`;
}
