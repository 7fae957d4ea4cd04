/** Why a place in the network could not be asked, and what to do about it. */
interface NetworkFault {
  readonly why: string;
  readonly fix: string;
}

const RENEW = 'Renew the certificate there, and let the server there load it.';
const CHAIN =
  'Let the server send its whole chain (certificate and intermediates), or name its authority in NODE_EXTRA_CA_CERTS, in the environment of the service: Node does not read it from .env.';

const CERTIFICATES: Readonly<Record<string, NetworkFault>> = {
  CERT_HAS_EXPIRED: { why: 'its certificate has expired', fix: RENEW },
  CERT_NOT_YET_VALID: { why: 'its certificate is not valid yet', fix: `${RENEW} Or set the clock of this machine.` },
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'its certificate is signed by itself, which nobody trusts', fix: CHAIN },
  SELF_SIGNED_CERT_IN_CHAIN: { why: 'its certificate comes from an authority that is not known here', fix: CHAIN },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { why: 'its certificate comes without its intermediates', fix: CHAIN },
  UNABLE_TO_GET_ISSUER_CERT: { why: 'its certificate comes without its intermediates', fix: CHAIN },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    why: 'its certificate comes from an authority that is not known here',
    fix: CHAIN,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is for another name',
    fix: 'Get a certificate for this very name, or use the name that the certificate has.',
  },
  CERT_REVOKED: { why: 'its certificate was revoked', fix: RENEW },
};

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'its name is not known to this machine',
  EAI_AGAIN: 'its name cannot be looked up from this machine',
  EHOSTUNREACH: 'there is no way to it from this machine',
  ENETUNREACH: 'there is no way to it from this machine',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it hangs up',
  EPIPE: 'it hangs up',
  UND_ERR_SOCKET: 'it hangs up',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EPROTOCOL: 'it does not speak SMTP',
  UND_ERR_HEADERS_OVERFLOW: 'it does not speak HTTP as asked',
};

/** A fault of the certificate. Undefined: it is none. */
export const certificateFault = (code: string | undefined): NetworkFault | undefined =>
  code === undefined ? undefined : CERTIFICATES[code];

/** In words; a code that is not known is told as it is. */
export function inWords(code: string | undefined): string {
  if (code === undefined) return 'it cannot be reached';
  if (/^(EPROTO$|ERR_SSL_)/.test(code)) return `it does not speak TLS as asked (${code})`;
  if (code.startsWith('HPE_')) return `it does not speak HTTP (${code})`;
  return CERTIFICATES[code]?.why ?? NETWORK[code] ?? `it cannot be reached (${code})`;
}
