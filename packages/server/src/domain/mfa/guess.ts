import type { MfaVerifyRequest } from '@gatehouse/contract';
import { unseal } from '../../platform/crypto/seal.ts';
import type { Deps } from '../context.ts';
import { ServiceError } from '../kernel/service-error.ts';
import type { Factor, FoundFactor } from './queries.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { matchingStep } from './totp.ts';

export interface Guess {
  readonly method: 'totp' | 'recovery_code';
  readonly typed: string;
  /** The hash of a recovery code; null for a TOTP code. */
  readonly code_hash: Buffer | null;
}

/** Returns which kind of code the request has. An empty field counts as absent. */
export function readGuess(given: MfaVerifyRequest): Guess {
  const code = given.code || null;
  const recovery_code = given.recovery_code || null;
  if (code !== null && recovery_code !== null) {
    throw new ServiceError('invalid_input', 'recovery_code: must not be sent together with code');
  }
  if (code !== null) return { method: 'totp', typed: code, code_hash: null };
  if (recovery_code === null) throw new ServiceError('invalid_input', 'code: is required, or recovery_code instead');
  return { method: 'recovery_code', typed: recovery_code, code_hash: hashRecoveryCode(recovery_code) };
}

/** Returns the factor without consuming it, or undefined if the guess is wrong. */
export function verifyGuess(deps: Deps, user_id: string, guess: Guess, found: FoundFactor): Factor | undefined {
  if (guess.code_hash !== null) {
    return found.recovery_code_is_live ? { method: 'recovery_code', code_hash: guess.code_hash } : undefined;
  }
  if (found.sealed_secret === null) return undefined;
  // Undefined if it was sealed under a JWT_SECRET that is no longer known: then no code matches.
  const secret = unseal(deps.keyring, { purpose: 'totp', row: user_id }, found.sealed_secret);
  const now = deps.clock.now();
  const step = secret && matchingStep(secret, guess.typed, now);
  if (step === undefined || found.set_up_at === null || found.used_steps?.includes(step)) return undefined;
  return { method: 'totp', step, set_up_at: found.set_up_at };
}
