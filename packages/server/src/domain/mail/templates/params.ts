import type { PlatformRole } from '../../kernel/permissions.ts';

export interface MailTemplates {
  verify_email: { link: string; hours: number };
  login_code: { code: string; minutes: number };
  password_reset: { link: string; hours: number };
  /** To the new address, with a link that confirms it. */
  email_change_confirm: { link: string; new_email: string; hours: number };
  /** To the old address: reports the request. */
  email_change_notice: { new_email: string };
  /** To the owner of an address that another account asked for. */
  email_in_use_notice: Record<never, never>;
  invitation: {
    organization_name: string;
    inviter_email: string;
    /**
     * Anyone can register any address; the mail says if that of the inviter, or of the user who created the service
     * account, is not verified.
     */
    inviter_unverified: boolean;
    /** The name of the inviter, if it is a service account. */
    service_account?: string;
    role: 'owner' | 'admin' | 'member';
    link: string;
    days: number;
  };
  /**
   * After a sign-in by code to an account whose email is not verified and that has other credentials. `created_at` in
   * milliseconds: a text would be shown with zero-width characters.
   */
  unproven_sign_in: { created_at: number; device: string | null };
  passkey_added: { name: string };
  identity_linked: { provider: string };
  mfa_enabled: Record<never, never>;
  mfa_disabled: Record<never, never>;
  /** At the tenth wrong second factor in a day. `with_password`: the first factor, which was right, was a password. */
  second_factor_guessed: { with_password: boolean };
  recovery_codes_replaced: Record<never, never>;
  recovery_code_used: Record<never, never>;
  /** `name` is shown if one passkey was removed. */
  passkey_removed: { name: string; count: number };
  /** To the user who got the role. */
  platform_role_granted: { role: PlatformRole };
  /** To platform owners. */
  platform_role_notice: { account_email: string; role: PlatformRole };
  /** To platform owners: over the transport that was active before, and over the new one. */
  mail_transport_changed: { changed_by: string; over: 'earlier' | 'new' };
  /** To the owners of the organization; without one, to platform owners. */
  webhook_disabled: { organization_name: string | null; host: string; reason: 'gone' | 'failing' };
  password_changed: Record<never, never>;
  /** To the owners of an organization whose policy a platform administrator has reset. */
  policy_reset: { organization_name: string };
  /** To the owners of an organization that requires single sign-on: the owner with this email signed in without it. */
  break_glass: { organization_name: string; email: string };
  /** To the owners of an organization, at the first daily check that does not find the DNS record. */
  domain_failing: { organization_name: string; domain: string; days: number };
}

export type TemplateName = keyof MailTemplates;

/** The templates that every locale must have. `site` is the URL of the service. */
export type TemplateSet<Text> = {
  readonly [Name in TemplateName]: (params: MailTemplates[Name], site: string) => Text;
};
