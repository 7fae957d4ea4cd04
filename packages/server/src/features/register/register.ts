import { normalizeEmail, type RegisterRequest } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { hashNewPassword } from '../../domain/passwords/new-password.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { registerOwner } from '../../domain/sign-in/register-owner.ts';

interface Registration extends Omit<RegisterRequest, 'locale'> {
  readonly locale: string | null;
}

export async function register(deps: Deps, caller: Caller, input: Registration): Promise<SignedIn> {
  const password_hash = await hashNewPassword(deps, caller, { field: 'password', password: input.password });
  return registerOwner(deps, caller, {
    method: 'password',
    organization: { name: input.organization_name.trim(), slug: input.organization_slug },
    owner: {
      id: uuid(),
      email: normalizeEmail(input.email),
      display_name: input.display_name?.trim() || null,
      locale: input.locale,
      password_hash,
    },
  });
}
