// @ts-check
// Settings of the three APIs, from the environment.

const { ISSUER = 'http://localhost:8080', SERVICE_ADDRESS = ISSUER, PORT = '8081', WEBHOOK_SECRETS = '' } = process.env;

export const port = Number(PORT);

/** The secrets are separated by spaces. Without any, webhooks are rejected. */
export const webhookSecrets = WEBHOOK_SECRETS.split(' ').filter(Boolean);

/** `issuer` is PUBLIC_BASE_URL of the service; `address` is where this process reaches it. */
export const service = { issuer: ISSUER, address: SERVICE_ADDRESS };
