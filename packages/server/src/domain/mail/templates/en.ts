import type { FrameText, MailText } from './mail-text.ts';
import { momentIn } from './moment.ts';
import type { TemplateSet } from './params.ts';

const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`;

const secureAccount = (site: string): string =>
  `If this was not you, please choose a new password right away with “Forgot your password?” at ${site}, then sign out your other sessions.`;

export const frame = (site: string): FrameText => ({
  language: 'en',
  greeting: 'Hello,',
  copyHint: 'If the button does not work, copy this address into your browser:',
  footer: `You receive this email because someone used this address at ${site}. It was sent automatically.`,
  support: 'Help',
  privacy: 'Privacy policy',
  terms: 'Terms of service',
});

export const templates: TemplateSet<MailText> = {
  verify_email: ({ link, hours }, site) => ({
    subject: 'Please confirm your email address',
    paragraphs: [
      `Welcome! Please confirm that this address belongs to you, so that we can reach you about your account.`,
    ],
    action: { label: 'Confirm email address', link },
    closing: [
      `The link works for ${count(hours, 'hour')}.`,
      `If you did not create an account at ${site}, someone else entered your address. Open the link to remove what they set up, or ignore this email: the address then stays unconfirmed.`,
    ],
  }),
  login_code: ({ code, minutes }) => ({
    subject: 'Your sign-in code',
    paragraphs: ['Here is your code to sign in:'],
    code,
    closing: [
      `It works once, within the next ${count(minutes, 'minute')}. Please do not share it: we will never ask you for it.`,
      'If you did not try to sign in, you can ignore this email. No one can sign in without the code.',
    ],
  }),
  password_reset: ({ link, hours }) => ({
    subject: 'Choose a new password',
    paragraphs: ['Someone, hopefully you, asked to reset the password of your account.'],
    action: { label: 'Choose a new password', link },
    closing: [
      `The link works once, within ${count(hours, 'hour')}.`,
      'If it was not you, you can ignore this email. Your password stays unchanged.',
    ],
  }),
  email_change_confirm: ({ link, new_email, hours }) => ({
    subject: 'Please confirm your new email address',
    paragraphs: [
      `You asked to sign in with ${new_email} from now on. Please confirm that this address belongs to you.`,
    ],
    action: { label: 'Confirm new address', link },
    closing: [
      `The link works for ${count(hours, 'hour')}. Your old address stays in use until you confirm the new one.`,
      'If you did not ask for this, you can ignore this email. Nothing changes.',
    ],
  }),
  email_change_notice: ({ new_email }, site) => ({
    subject: 'Your email address is about to change',
    paragraphs: [
      `Someone who is signed in to your account asked to change its email address to ${new_email}. It changes once the new address is confirmed.`,
    ],
    closing: ['If this was you, there is nothing to do here.', secureAccount(site)],
  }),
  email_in_use_notice: (_params, site) => ({
    subject: 'Someone tried to use your email address',
    paragraphs: [
      `Someone asked to use this address for another account at ${site}. It already belongs to yours, so nothing was changed.`,
    ],
    closing: [
      'If this was you, sign in with this address, or choose another one for the other account.',
      'If it was not you, there is nothing to do. Your account is not affected.',
    ],
  }),
  invitation: ({ organization_name, inviter_email, inviter_unverified, service_account, role, link, days }) => ({
    subject: `Invitation to join ${organization_name}`,
    paragraphs: [
      `${service_account === undefined ? inviter_email : `The service account “${service_account}”`}${inviter_unverified ? ` (${service_account === undefined ? 'address ' : ''}not verified)` : ''} invites you to join the organization “${organization_name}”.`,
      `Your role will be: ${role}.`,
    ],
    action: { label: 'Accept invitation', link },
    closing: [
      ...(inviter_unverified
        ? [
            service_account === undefined
              ? 'The sender has not confirmed this email address, so it may belong to someone else.'
              : 'The user who created this service account has not confirmed their email address, so they may not be who they claim to be.',
          ]
        : []),
      `The invitation is valid for ${count(days, 'day')}.`,
      'If you do not know the sender, you can ignore this email. Nothing happens unless you accept.',
    ],
  }),
  unproven_sign_in: ({ created_at, device }, site) => ({
    subject: 'Is this account yours?',
    paragraphs: [
      `A code that we sent to this address was used to sign in at ${site}. The address has not been confirmed yet, and the account has a password or other ways to sign in.`,
      `The account was created on ${momentIn('en-GB', created_at)} with ${device ?? 'an unknown device'}.`,
    ],
    closing: [
      'If you created it, there is nothing to do. Confirm your address, and we will not ask again.',
      `If someone else created it, secure it: sign in at ${site} with a new code and choose to remove everything that you did not set up. If you are asked for a second factor that you do not have, use “Forgot your password?”, and on the page that the link opens remove two-step verification too.`,
    ],
  }),
  passkey_added: ({ name }, site) => ({
    subject: 'A passkey was added to your account',
    paragraphs: [`The passkey “${name}” was added to your account. It can now be used to sign in.`],
    closing: [
      'If this was you, there is nothing to do.',
      `If it was not you, please sign in at ${site}, remove the passkey, change your password and sign out your other sessions.`,
    ],
  }),
  identity_linked: ({ provider }, site) => ({
    subject: `An account at ${provider} was linked to your account`,
    paragraphs: [`An account at ${provider} was linked to your account. It can now be used to sign in.`],
    closing: [
      'If this was you, there is nothing to do.',
      `If it was not you, please sign in at ${site}, unlink the account, change your password and sign out your other sessions.`,
    ],
  }),
  mfa_disabled: (_params, site) => ({
    subject: 'Two-step verification was turned off',
    paragraphs: ['Two-step verification was turned off for your account. Signing in no longer requires a second step.'],
    closing: [
      'If this was you or your administrator, there is nothing to do. We recommend turning it on again soon.',
      secureAccount(site),
    ],
  }),
  second_factor_guessed: ({ with_password }, site) => ({
    subject: with_password ? 'Someone knows your password' : 'Someone is trying to sign in to your account',
    paragraphs: [
      `In the last 24 hours ten wrong codes were entered at the second step of signing in to your account. The first step was passed: ${
        with_password
          ? 'the person who tried knows your password.'
          : 'the person who tried can read your email, or uses an account that is linked to yours.'
      }`,
      'Your second factor prevented the sign-in.',
    ],
    closing: [
      'If this was you, check that the clock of your device is correct, or use a recovery code.',
      with_password
        ? `If it was not you, please choose a new password right away with “Forgot your password?” at ${site}. Do not use the old one anywhere else.`
        : `If it was not you, please secure your mailbox and the accounts you sign in with, then review your account at ${site}.`,
    ],
  }),
  mfa_enabled: (_params, site) => ({
    subject: 'Two-step verification was turned on',
    paragraphs: [
      'Two-step verification was turned on for your account. Signing in now also asks for a code from the authenticator app.',
    ],
    closing: [
      'If this was you, there is nothing to do. Keep your recovery codes in a safe place.',
      `If it was not you, please choose a new password right away with “Forgot your password?” at ${site}. If the page that the link opens offers to remove two-step verification, select that; otherwise ask your administrator to turn it off.`,
    ],
  }),
  recovery_codes_replaced: (_params, site) => ({
    subject: 'Your recovery codes were replaced',
    paragraphs: ['New recovery codes were generated for your account. The old ones no longer work.'],
    closing: ['If this was you, there is nothing to do.', secureAccount(site)],
  }),
  recovery_code_used: (_params, site) => ({
    subject: 'A recovery code for your account was used',
    paragraphs: [
      'One of your recovery codes was used in place of a code from your authenticator app. It cannot be used again.',
    ],
    closing: [
      'If this was you, check in your account how many codes are left, and generate new ones before you have used them all.',
      `If it was not you, please choose a new password right away with “Forgot your password?” at ${site}, generate new recovery codes, and sign out your other sessions.`,
    ],
  }),
  passkey_removed: ({ name, count: removed }, site) => ({
    subject: removed === 1 ? 'A passkey was removed from your account' : 'Passkeys were removed from your account',
    paragraphs: [
      removed === 1
        ? `The passkey “${name}” was removed from your account. It can no longer be used to sign in.`
        : `${removed} passkeys were removed from your account. They can no longer be used to sign in.`,
    ],
    closing: ['If this was you, there is nothing to do.', secureAccount(site)],
  }),
  platform_role_granted: ({ role }, site) => ({
    subject: 'You now have a platform role',
    paragraphs: [`Your account at ${site} now has the platform role “${role}”. It applies to all organizations.`],
    closing: [
      'Please protect your account with two-step verification or a passkey.',
      'If you did not expect this, please contact a platform owner.',
    ],
  }),
  platform_role_notice: ({ account_email, role }, site) => ({
    subject: 'A platform role was granted',
    paragraphs: [`The account ${account_email} now has the platform role “${role}” at ${site}.`],
    closing: [
      'You receive this email because you are a platform owner. If you expected this, there is nothing to do.',
      `If you did not, please sign in at ${site}, revoke the role under “Users” in the console, and check the audit trail.`,
    ],
  }),
  mail_transport_changed: ({ changed_by, over }, site) => ({
    subject: 'The email transport was changed',
    paragraphs: [
      `${changed_by} changed how ${site} sends email.`,
      over === 'earlier'
        ? 'This email was sent over the transport that was active before the change. The new transport sends you the same notice.'
        : 'This email was sent over the new transport.',
    ],
    closing: [
      'You receive this email because you are a platform owner. If you expected this, there is nothing to do.',
      `If you did not, please sign in at ${site}, check the email transport under “Providers” in the console, and check the audit trail. Anyone who controls the transport can read sign-in codes and reset links.`,
    ],
  }),
  webhook_disabled: ({ organization_name, host, reason }, site) => ({
    subject: 'A webhook was disabled',
    paragraphs: [
      organization_name === null
        ? `A webhook of the platform at ${site}, which sends to ${host}, was disabled.`
        : `A webhook of ${organization_name}, which sends to ${host}, was disabled.`,
      reason === 'gone'
        ? 'The receiver responded that it no longer exists (410).'
        : 'No delivery has succeeded for five days.',
    ],
    closing: [
      `When the receiver works again, enable the webhook under “Webhooks” at ${site}. Deliveries of the last 30 days that are still pending are then sent.`,
    ],
  }),
  password_changed: (_params, site) => ({
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was changed. Your other sessions were signed out.'],
    closing: ['If this was you, there is nothing to do.', secureAccount(site)],
  }),
  policy_reset: ({ organization_name }, site) => ({
    subject: `The sign-in rules of ${organization_name} were reset`,
    paragraphs: [
      `An administrator of this service removed all sign-in rules of the organization “${organization_name}”: members can sign in with any method, from any network and without a second step.`,
    ],
    closing: [`You can set the rules again: ${site}/organization/policy`],
  }),
  break_glass: ({ organization_name, email }, site) => ({
    subject: `An owner of ${organization_name} signed in without single sign-on`,
    paragraphs: [
      `${email}, an owner of the organization “${organization_name}”, signed in without single sign-on, which the organization requires. Owners can do this with a password and a second step, or with a passkey, for example while the identity provider is unavailable.`,
    ],
    closing: [
      'If you do not know the reason, ask this owner.',
      `You can see what happened in the organization: ${site}/organization/activity`,
    ],
  }),
  domain_failing: ({ organization_name, domain, days }, site) => ({
    subject: `The DNS record for ${domain} was not found`,
    paragraphs: [
      `${organization_name} has verified the domain ${domain}. The daily check no longer finds the DNS record that proves that the domain belongs to you.`,
      `If the record is missing for ${count(days, 'day')}, the domain is no longer verified: single sign-on stops working for its email addresses, and the sessions that were opened with it end.`,
    ],
    closing: [
      `The record that you need to add is shown here: ${site}/organization/domains`,
      'If the domain no longer belongs to you, remove it there.',
    ],
  }),
};
