export * from './access-token.ts';
export * from './audit.ts';
export * from './discovery.ts';
export * from './errors.ts';
export * from './health.ts';
export * from './limits.ts';
export * from './text.ts';
