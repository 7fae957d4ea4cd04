// @ts-check
// What the three APIs are told by whoever starts them.

const { ISSUER = 'http://localhost:8080', SERVICE_ADDRESS = ISSUER, PORT = '8081' } = process.env;

export const port = Number(PORT);

/** `issuer` is what the service calls itself; `address` is where this process reaches it. */
export const service = { issuer: ISSUER, address: SERVICE_ADDRESS };
