import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { enqueueMail, NOTICE_LIFETIME } from '../mail/enqueue.ts';
import { chooseLocale } from '../mail/templates/render.ts';

/** To the person it happened to, who may not be the one who did it. */
export const tellPasswordChanged = (tx: Tx, deps: Deps, user: { email: string; locale: string | null }) =>
  enqueueMail(tx, deps.mail, {
    template: 'password_changed',
    locale: chooseLocale(user.locale, deps.config.DEFAULT_LOCALE),
    to: user.email,
    params: {},
    expires_at: after(deps.clock.now(), NOTICE_LIFETIME),
  });
