import type { FrameText, MailText } from './mail-text.ts';
import { momentIn } from './moment.ts';
import type { MailTemplates, TemplateSet } from './params.ts';

const hoursOf = (number: number): string => (number === 1 ? 'eine Stunde' : `${number} Stunden`);
const minutesOf = (number: number): string => (number === 1 ? 'eine Minute' : `${number} Minuten`);
const daysOf = (number: number): string => (number === 1 ? 'einen Tag' : `${number} Tage`);

const ROLES: Record<MailTemplates['invitation']['role'], string> = {
  owner: 'Inhaber',
  admin: 'Administrator',
  member: 'Mitglied',
};

const PLATFORM_ROLES: Record<MailTemplates['platform_role_granted']['role'], string> = {
  owner: 'Inhaber',
  admin: 'Administrator',
  viewer: 'Betrachter',
};

const secureAccount = (site: string): string =>
  `Falls Sie das nicht waren, wählen Sie bitte sofort über „Passwort vergessen“ auf ${site} ein neues Passwort und melden Sie danach Ihre anderen Sitzungen ab.`;

export const frame = (site: string): FrameText => ({
  language: 'de',
  greeting: 'Guten Tag,',
  copyHint: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  footer: `Sie erhalten diese E-Mail, weil jemand diese Adresse auf ${site} verwendet hat. Sie wurde automatisch verschickt.`,
  support: 'Hilfe',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
});

export const templates: TemplateSet<MailText> = {
  verify_email: ({ link, hours }, site) => ({
    subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    paragraphs: [
      'Herzlich willkommen! Bitte bestätigen Sie, dass diese Adresse Ihnen gehört, damit wir Sie zu Ihrem Konto erreichen können.',
    ],
    action: { label: 'E-Mail-Adresse bestätigen', link },
    closing: [
      `Der Link gilt ${hoursOf(hours)}.`,
      `Falls Sie auf ${site} kein Konto angelegt haben, hat jemand anderes Ihre Adresse angegeben. Öffnen Sie den Link, um zu entfernen, was dort eingerichtet wurde, oder ignorieren Sie diese E-Mail: Die Adresse bleibt dann unbestätigt.`,
    ],
  }),
  login_code: ({ code, minutes }) => ({
    subject: 'Ihr Anmeldecode',
    paragraphs: ['Mit diesem Code melden Sie sich an:'],
    code,
    closing: [
      `Er gilt einmal und ${minutesOf(minutes)} lang. Bitte geben Sie ihn nicht weiter: Wir werden Sie nie danach fragen.`,
      'Falls Sie sich nicht anmelden wollten, können Sie diese E-Mail ignorieren. Ohne den Code kann sich niemand anmelden.',
    ],
  }),
  password_reset: ({ link, hours }) => ({
    subject: 'Neues Passwort wählen',
    paragraphs: ['Jemand, hoffentlich Sie, möchte das Passwort Ihres Kontos zurücksetzen.'],
    action: { label: 'Neues Passwort wählen', link },
    closing: [
      `Der Link gilt einmal und ${hoursOf(hours)} lang.`,
      'Falls Sie das nicht waren, können Sie diese E-Mail ignorieren. Ihr Passwort bleibt, wie es ist.',
    ],
  }),
  email_change_confirm: ({ link, new_email, hours }) => ({
    subject: 'Bitte bestätigen Sie Ihre neue E-Mail-Adresse',
    paragraphs: [
      `Sie möchten sich künftig mit ${new_email} anmelden. Bitte bestätigen Sie, dass diese Adresse Ihnen gehört.`,
    ],
    action: { label: 'Neue Adresse bestätigen', link },
    closing: [
      `Der Link gilt ${hoursOf(hours)}. Bis dahin bleibt Ihre bisherige Adresse gültig.`,
      'Falls Sie das nicht wünschen, können Sie diese E-Mail ignorieren. Es ändert sich nichts.',
    ],
  }),
  email_change_notice: ({ new_email }, site) => ({
    subject: 'Ihre E-Mail-Adresse soll geändert werden',
    paragraphs: [
      `In Ihrem Konto wurde angefordert, die E-Mail-Adresse in ${new_email} zu ändern. Sie ändert sich, sobald die neue Adresse bestätigt ist.`,
    ],
    closing: ['Falls Sie das waren, ist hier nichts zu tun.', secureAccount(site)],
  }),
  email_in_use_notice: (_params, site) => ({
    subject: 'Jemand wollte Ihre E-Mail-Adresse verwenden',
    paragraphs: [
      `Jemand wollte diese Adresse für ein anderes Konto auf ${site} verwenden. Sie gehört bereits zu Ihrem Konto, daher wurde nichts geändert.`,
    ],
    closing: [
      'Falls Sie das waren, melden Sie sich mit dieser Adresse an oder wählen Sie für das andere Konto eine andere.',
      'Falls Sie das nicht waren, ist nichts zu tun. Ihr Konto ist nicht betroffen.',
    ],
  }),
  invitation: ({ organization_name, inviter_email, inviter_unverified, service_account, role, link, days }) => ({
    subject: `Einladung zu ${organization_name}`,
    paragraphs: [
      `${service_account === undefined ? inviter_email : `Das Dienstkonto „${service_account}“`}${inviter_unverified ? ` (${service_account === undefined ? 'Adresse ' : ''}nicht bestätigt)` : ''} lädt Sie in die Organisation „${organization_name}“ ein.`,
      `Ihre Rolle wird sein: ${ROLES[role] ?? role}.`,
    ],
    action: { label: 'Einladung annehmen', link },
    closing: [
      ...(inviter_unverified
        ? [
            service_account === undefined
              ? 'Der Absender hat diese E-Mail-Adresse nicht bestätigt. Sie kann jemand anderem gehören.'
              : 'Wer dieses Dienstkonto angelegt hat, hat seine E-Mail-Adresse nicht bestätigt und kann jemand anderes sein.',
          ]
        : []),
      `Die Einladung gilt ${daysOf(days)}.`,
      'Falls Sie den Absender nicht kennen, können Sie diese E-Mail ignorieren. Ohne Ihre Zustimmung geschieht nichts.',
    ],
  }),
  unproven_sign_in: ({ created_at, device }, site) => ({
    subject: 'Gehört dieses Konto Ihnen?',
    paragraphs: [
      `Mit einem Code, den wir an diese Adresse geschickt haben, hat sich jemand auf ${site} angemeldet. Die Adresse ist noch nicht bestätigt, und das Konto hat ein Passwort oder andere Anmeldewege.`,
      `Das Konto wurde am ${momentIn('de-DE', created_at)} mit ${device?.replace(' on ', ' unter ') ?? 'einem unbekannten Gerät'} angelegt.`,
    ],
    closing: [
      'Falls Sie es angelegt haben, ist nichts zu tun. Bestätigen Sie Ihre Adresse, dann fragen wir nicht wieder.',
      `Falls es jemand anderes angelegt hat, sichern Sie es: Melden Sie sich auf ${site} mit einem neuen Code an und entfernen Sie, was andere hinzugefügt haben. Falls dabei ein zweiter Faktor verlangt wird, den Sie nicht haben, wählen Sie „Passwort vergessen“ und dort dasselbe.`,
    ],
  }),
  passkey_added: ({ name }, site) => ({
    subject: 'Ihrem Konto wurde ein Passkey hinzugefügt',
    paragraphs: [`Der Passkey „${name}“ wurde Ihrem Konto hinzugefügt. Man kann sich nun damit anmelden.`],
    closing: [
      'Falls Sie das waren, ist nichts zu tun.',
      `Falls Sie das nicht waren, melden Sie sich bitte auf ${site} an, entfernen Sie den Passkey, ändern Sie Ihr Passwort und melden Sie Ihre anderen Sitzungen ab.`,
    ],
  }),
  identity_linked: ({ provider }, site) => ({
    subject: `Sie können sich nun mit ${provider} anmelden`,
    paragraphs: [`Ein ${provider}-Konto wurde mit Ihrem Konto verknüpft. Man kann sich nun damit anmelden.`],
    closing: [
      'Falls Sie das waren, ist nichts zu tun.',
      `Falls Sie das nicht waren, melden Sie sich bitte auf ${site} an, trennen Sie die Verknüpfung, ändern Sie Ihr Passwort und melden Sie Ihre anderen Sitzungen ab.`,
    ],
  }),
  mfa_disabled: (_params, site) => ({
    subject: 'Die Bestätigung in zwei Schritten wurde abgeschaltet',
    paragraphs: [
      'Die Bestätigung in zwei Schritten wurde für Ihr Konto abgeschaltet. Bei der Anmeldung wird kein zweiter Code mehr verlangt.',
    ],
    closing: [
      'Falls Sie oder Ihr Administrator das waren, ist nichts zu tun. Wir empfehlen, sie bald wieder einzuschalten.',
      secureAccount(site),
    ],
  }),
  second_factor_guessed: ({ with_password }, site) => ({
    subject: with_password ? 'Jemand kennt Ihr Passwort' : 'Jemand versucht, sich in Ihrem Konto anzumelden',
    paragraphs: [
      `Bei der Anmeldung in Ihrem Konto wurden in den letzten 24 Stunden im zweiten Schritt zehn falsche Codes eingegeben. Der erste Schritt war erfolgreich: ${
        with_password
          ? 'Wer auch immer es war, kennt Ihr Passwort.'
          : 'Wer auch immer es war, kann Ihre E-Mails lesen oder verwendet ein mit Ihrem Konto verknüpftes Konto.'
      }`,
      'Ihr zweiter Faktor hat die Anmeldung verhindert.',
    ],
    closing: [
      'Falls Sie das waren, prüfen Sie bitte die Uhr Ihres Geräts oder verwenden Sie einen Wiederherstellungscode.',
      with_password
        ? `Falls Sie das nicht waren, wählen Sie bitte sofort über „Passwort vergessen“ auf ${site} ein neues Passwort. Verwenden Sie das alte nirgends mehr.`
        : `Falls Sie das nicht waren, sichern Sie bitte Ihr Postfach und die verknüpften Konten und prüfen Sie danach Ihr Konto auf ${site}.`,
    ],
  }),
  mfa_enabled: (_params, site) => ({
    subject: 'Die Bestätigung in zwei Schritten wurde eingeschaltet',
    paragraphs: [
      'Die Bestätigung in zwei Schritten wurde für Ihr Konto eingeschaltet. Bei der Anmeldung wird nun zusätzlich ein Code aus der Authenticator-App verlangt.',
    ],
    closing: [
      'Falls Sie das waren, ist nichts zu tun. Bewahren Sie Ihre Wiederherstellungscodes sicher auf.',
      `Falls Sie das nicht waren, wählen Sie bitte sofort mit „Passwort vergessen“ auf ${site} ein neues Passwort. Wenn die Seite, die der Link öffnet, anbietet, die Bestätigung in zwei Schritten zu entfernen, wählen Sie das aus; sonst bitten Sie Ihren Administrator, sie abzuschalten.`,
    ],
  }),
  recovery_codes_replaced: (_params, site) => ({
    subject: 'Ihre Wiederherstellungscodes wurden ersetzt',
    paragraphs: ['Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Die alten gelten nicht mehr.'],
    closing: ['Falls Sie das waren, ist nichts zu tun.', secureAccount(site)],
  }),
  recovery_code_used: (_params, site) => ({
    subject: 'Ein Wiederherstellungscode Ihres Kontos wurde benutzt',
    paragraphs: [
      'Anstelle eines Codes aus Ihrer Authenticator-App wurde einer Ihrer Wiederherstellungscodes benutzt. Er gilt kein zweites Mal.',
    ],
    closing: [
      'Falls Sie das waren, sehen Sie in Ihrem Konto nach, wie viele Codes übrig sind, und erstellen Sie rechtzeitig neue.',
      `Falls Sie das nicht waren, wählen Sie bitte sofort mit „Passwort vergessen“ auf ${site} ein neues Passwort, erstellen Sie neue Wiederherstellungscodes und melden Sie Ihre anderen Sitzungen ab.`,
    ],
  }),
  passkey_removed: ({ name, count: removed }, site) => ({
    subject: removed === 1 ? 'Ein Passkey Ihres Kontos wurde entfernt' : 'Passkeys Ihres Kontos wurden entfernt',
    paragraphs: [
      removed === 1
        ? `Der Passkey „${name}“ wurde aus Ihrem Konto entfernt. Man kann sich nicht mehr damit anmelden.`
        : `${removed} Passkeys wurden aus Ihrem Konto entfernt. Man kann sich nicht mehr damit anmelden.`,
    ],
    closing: ['Falls Sie das waren, ist nichts zu tun.', secureAccount(site)],
  }),
  platform_role_granted: ({ role }, site) => ({
    subject: 'Sie haben nun eine Plattform-Rolle',
    paragraphs: [
      `Ihr Konto auf ${site} hat nun die Plattform-Rolle „${PLATFORM_ROLES[role] ?? role}“. Sie gilt für alle Organisationen.`,
    ],
    closing: [
      'Bitte schützen Sie Ihr Konto mit der Bestätigung in zwei Schritten oder einem Passkey.',
      'Falls Sie das nicht erwartet haben, wenden Sie sich bitte an einen Plattform-Inhaber.',
    ],
  }),
  platform_role_notice: ({ account_email, role }, site) => ({
    subject: 'Eine Plattform-Rolle wurde vergeben',
    paragraphs: [
      `Das Konto ${account_email} hat auf ${site} nun die Plattform-Rolle „${PLATFORM_ROLES[role] ?? role}“.`,
    ],
    closing: [
      'Sie erhalten diese E-Mail, weil Sie Plattform-Inhaber sind. Falls Sie davon wissen, ist nichts zu tun.',
      `Falls nicht, melden Sie sich bitte auf ${site} an, nehmen Sie die Rolle in der Konsole unter „Benutzer“ zurück und sehen Sie das Audit-Protokoll durch.`,
    ],
  }),
  mail_transport_changed: ({ changed_by, over }, site) => ({
    subject: 'Der Mailversand wurde geändert',
    paragraphs: [
      `${changed_by} hat geändert, wie ${site} E-Mails versendet.`,
      over === 'earlier'
        ? 'Diese E-Mail kam über den Versandweg, der vor der Änderung galt. Der neue schickt Ihnen dieselbe Nachricht.'
        : 'Diese E-Mail kam über den neuen Versandweg.',
    ],
    closing: [
      'Sie erhalten diese E-Mail, weil Sie Plattform-Inhaber sind. Falls Sie davon wissen, ist nichts zu tun.',
      `Falls nicht, melden Sie sich bitte auf ${site} an, prüfen Sie den Mailversand in der Konsole unter „Anbieter“ und sehen Sie das Audit-Protokoll durch. Wer den Versandweg kontrolliert, kann Anmeldecodes und Links zum Zurücksetzen lesen.`,
    ],
  }),
  webhook_disabled: ({ organization_name, host, reason }, site) => ({
    subject: 'Ein Webhook wurde deaktiviert',
    paragraphs: [
      organization_name === null
        ? `Ein Webhook der Plattform unter ${site}, der an ${host} sendet, wurde deaktiviert.`
        : `Ein Webhook von ${organization_name}, der an ${host} sendet, wurde deaktiviert.`,
      reason === 'gone'
        ? 'Der Empfänger hat geantwortet, dass es ihn nicht mehr gibt (410).'
        : 'Seit fünf Tagen ist keine Zustellung gelungen.',
    ],
    closing: [
      `Wenn der Empfänger wieder funktioniert, aktivieren Sie den Webhook unter „Webhooks“ auf ${site}. Noch ausstehende Zustellungen der letzten 30 Tage werden dann gesendet.`,
    ],
  }),
  password_changed: (_params, site) => ({
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: ['Das Passwort Ihres Kontos wurde geändert. Ihre anderen Sitzungen wurden abgemeldet.'],
    closing: ['Falls Sie das waren, ist nichts zu tun.', secureAccount(site)],
  }),
  policy_reset: ({ organization_name }, site) => ({
    subject: `Die Anmelderegeln von ${organization_name} wurden zurückgesetzt`,
    paragraphs: [
      `Ein Administrator dieses Dienstes hat alle Anmelderegeln der Organisation „${organization_name}“ entfernt: Mitglieder können sich mit jeder Methode, aus jedem Netzwerk und ohne zweiten Schritt anmelden.`,
    ],
    closing: [`Sie können die Regeln neu festlegen: ${site}/organization/policy`],
  }),
  break_glass: ({ organization_name, email }, site) => ({
    subject: `Anmeldung ohne Single Sign-on: Organisation ${organization_name}`,
    paragraphs: [
      `${email}, Inhaber der Organisation „${organization_name}“, hat sich ohne Single Sign-on angemeldet, obwohl die Organisation es verlangt. Inhaber können das mit Passwort und zweitem Schritt oder mit einem Passkey, zum Beispiel wenn der Identitätsanbieter nicht erreichbar ist.`,
    ],
    closing: [
      'Wenn Sie den Grund nicht kennen, fragen Sie nach.',
      `Was in der Organisation geschah, sehen Sie hier: ${site}/organization/activity`,
    ],
  }),
  domain_failing: ({ organization_name, domain, days }, site) => ({
    subject: `Der DNS-Eintrag für ${domain} wurde nicht gefunden`,
    paragraphs: [
      `${organization_name} hat die Domain ${domain} bestätigt. Die tägliche Prüfung findet den DNS-Eintrag nicht mehr, der das belegt.`,
      `Fehlt der Eintrag ${daysOf(days)} lang, gilt die Domain nicht mehr als bestätigt: Single Sign-on funktioniert für ihre E-Mail-Adressen nicht mehr, und die damit eröffneten Sitzungen enden.`,
    ],
    closing: [
      `Den nötigen Eintrag finden Sie hier: ${site}/organization/domains`,
      'Falls Ihnen die Domain nicht mehr gehört, entfernen Sie sie dort.',
    ],
  }),
};
