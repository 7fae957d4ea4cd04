import type { Text } from './en.ts';

export const text: Text = {
  role: 'Rolle',
  status: 'Status',
  seeMembers: 'Mitglieder ansehen',
  roleHints: {
    owner: 'Verwaltet alle, auch andere Inhaber.',
    admin: 'Lädt Personen ein und ändert oder entfernt Admins und Mitglieder.',
    member: 'Nutzt die Organisation und sieht, wer noch dabei ist.',
  },
  activity: {
    title: 'Aktivität',
    lead: (organization) => `Was bei ${organization} geschehen ist, das Neueste zuerst.`,
    notYours: 'Nur Inhaber und Admins können die Aktivität sehen',
    platform: 'Plattform',
    former: 'Früheres Mitglied',
  },
  settings: {
    title: 'Einstellungen',
    lead: 'Name und Kurzname Ihrer Organisation.',
    readOnly: 'Nur Inhaber können diese Einstellungen ändern.',
    about: 'Organisation',
    name: 'Name',
    slug: 'Kurzname',
    slugHint: 'Kleinbuchstaben, Ziffern und Bindestriche. Links mit dem alten Kurznamen funktionieren dann nicht mehr.',
    members: 'Mitglieder',
    created: 'Angelegt',
    id: 'ID',
    saved: 'Einstellungen gespeichert',
  },
  policy: {
    title: 'Anmelderegeln',
    lead: (organization) =>
      `Wie Mitglieder sich bei ${organization} anmelden müssen. Für angemeldete Mitglieder gelten die Regeln, sobald ihre Sitzung das nächste Mal erneuert wird, also innerhalb weniger Minuten; die Regel zu Netzwerken gilt sofort.`,
    readOnly: 'Nur Inhaber können diese Regeln ändern.',
    saved: 'Anmelderegeln gespeichert',
    mfa: 'Zweiten Schritt verlangen',
    mfaHint:
      'Mitglieder ohne Authenticator-App werden aufgefordert, eine einzurichten, bevor es weitergeht. Ein Passkey zählt als beide Schritte.',
    methods: 'Erlaubte Anmeldemethoden',
    methodsHint: 'Wählen Sie mindestens eine Methode, auch die, mit der Sie sich angemeldet haben.',
    anyMethod: 'Alle Methoden',
    onlyMethods: 'Nur diese Methoden',
    methodNames: {
      password: 'Passwort',
      passkey: 'Passkey',
      email_otp: 'Code per E-Mail',
      oauth: 'Google, GitHub und andere Konten',
      sso: 'Single Sign-on',
    },
    sso: 'Single Sign-on verlangen',
    ssoFact: 'Single Sign-on',
    ssoHint:
      'Mitglieder mit einer E-Mail-Adresse in einer bestätigten Domain können sich nur mit Single Sign-on anmelden. Im Notfall können sich Inhaber weiterhin mit einem Passkey oder mit Passwort und Authenticator-App anmelden; alle Inhaber werden dann per E-Mail benachrichtigt.',
    ssoMissing: 'Single Sign-on kann nur verlangt werden, solange eine Verbindung aktiv ist.',
    toSso: 'Single Sign-on einrichten',
    ssoConflict:
      'Single Sign-on kann noch nicht verlangt werden. Nötig sind eine aktive Verbindung und ein Inhaber mit Passkey oder mit Passwort und Authenticator-App, damit Ihre Organisation nicht ausgesperrt ist, wenn der Anbieter ausfällt.',
    age: 'Neue Anmeldung verlangen',
    ageHint: 'Gilt auch, wenn Mitglieder den Dienst ständig benutzen.',
    ages: {
      never: 'Erst wenn die Sitzung abläuft',
      hours: (hours) => (hours === 1 ? 'Nach 1 Stunde' : `Nach ${hours} Stunden`),
      days: (days) => (days === 1 ? 'Nach 1 Tag' : `Nach ${days} Tagen`),
      minutes: (minutes) => `Nach ${minutes} Minuten`,
    },
    networks: 'Netzwerke',
    networksHint:
      'Eine Adresse oder ein Bereich pro Zeile, zum Beispiel 192.0.2.0/24. Leer lassen, um alle Netzwerke zu erlauben. Geben Sie auch das Netzwerk an, das Sie gerade benutzen.',
    everywhere: 'Alle Netzwerke',
    notRequired: 'Nicht verlangt',
    required: 'Verlangt',
    affected: {
      require_mfa: (count, of) => `${count} von ${of} Mitgliedern haben noch keinen zweiten Schritt.`,
      sso_required: (count, of) =>
        `${count} von ${of} Mitgliedern haben eine Adresse in einer bestätigten Domain und müssen Single Sign-on verwenden.`,
      allowed_methods: (count, of) =>
        `${count} von ${of} Mitgliedern haben sich mit einer anderen Methode angemeldet und müssen sich neu anmelden.`,
      session_max_age_seconds: (count, of) => `${count} von ${of} Mitgliedern müssen sich neu anmelden.`,
      allowed_networks: (count, of) =>
        `${count} von ${of} Mitgliedern haben sich aus einem anderen Netzwerk angemeldet und verlieren von dort den Zugriff.`,
    },
    own: {
      sso_required: 'Melden Sie sich zuerst mit Single Sign-on an: Sonst sperren Sie sich aus.',
      require_mfa:
        'Richten Sie zuerst Ihren eigenen zweiten Schritt ein oder bestätigen Sie ihn: Sonst sperren Sie sich aus.',
      allowed_methods: 'Wählen Sie auch die Methode, mit der Sie sich angemeldet haben: Sonst sperren Sie sich aus.',
      session_max_age_seconds: 'Melden Sie sich zuerst neu an: Ihre eigene Anmeldung ist älter.',
      allowed_networks: 'Eine Zeile ist weder eine Adresse noch ein Bereich, oder Ihre eigene Adresse fehlt.',
    },
  },
  roles: {
    title: 'Rollen',
    lead: 'Rollen geben Mitgliedern Berechtigungen zusätzlich zu Inhaber, Admin oder Mitglied.',
    readOnly: 'Nur Mitglieder mit der Berechtigung roles.manage können Rollen ändern.',
    empty: 'Noch keine Rollen',
    emptyHint: 'Legen Sie eine an, um manchen Mitgliedern mehr Berechtigungen zu geben als anderen.',
    assign: 'Rollen zuweisen',
    assignTitle: (name) => `Rollen von ${name}`,
    assignClosed:
      'Dieses Mitglied hat eine Rolle mit Berechtigungen, die Sie nicht haben. Nur ein Inhaber kann seine Rollen ändern.',
    assigned: (name) => `Rollen von ${name} geändert`,
    label: 'Weitere Rollen',
    notYours: 'Sie enthält Berechtigungen, die Sie nicht haben.',
    limited: 'Zu viele Änderungen an Rollen in kurzer Zeit.',
    gone: 'Eine dieser Rollen wurde inzwischen gelöscht. Laden Sie die Seite neu.',
    affected: (count) =>
      count === 0
        ? 'Kein Mitglied hat sie.'
        : count === 1
          ? '1 Mitglied verliert sie.'
          : `${count} Mitglieder verlieren sie.`,
  },
  members: {
    title: 'Mitglieder',
    lead: (organization) => `Alle, die sich bei ${organization} anmelden können.`,
    invite: 'Jemanden einladen',
    search: 'Mitglieder suchen',
    placeholder: 'Name oder E-Mail',
    count: (total) => (total === 1 ? '1 Mitglied' : `${total.toLocaleString('de')} Mitglieder`),
    member: 'Mitglied',
    twoSteps: 'Bestätigung in zwei Schritten',
    on: 'Ein',
    off: 'Aus',
    since: 'Mitglied seit',
    you: 'Sie',
    disabled: 'Deaktiviert',
    nobody: 'Niemand gefunden',
    nobodyHint: 'Versuchen Sie es mit einem anderen Teil des Namens oder der E-Mail-Adresse.',
  },
  changeRole: {
    action: 'Rolle ändern',
    title: (name) => `Rolle von ${name}`,
    changed: (name) => `Rolle von ${name} geändert`,
    yourself: 'Das sind Sie selbst. Mit einer niedrigeren Rolle können Sie sich die alte nicht zurückgeben.',
    lastOwner: 'Das ist der letzte Inhaber, der sich anmelden kann. Machen Sie zuerst jemand anderen zum Inhaber.',
    forbidden:
      'Ihre eigene Rolle reicht dafür nicht mehr aus. Laden Sie die Seite neu, um zu sehen, was sich geändert hat.',
  },
  unlink: {
    action: 'Single-Sign-on-Verknüpfung entfernen',
    verb: 'Verknüpfung entfernen',
    title: 'Diese Single-Sign-on-Verknüpfung entfernen?',
    question: (name) =>
      `Die Single-Sign-on-Sitzungen von ${name} enden, und das Konto hier ist nicht mehr mit einem Konto bei Ihrem Identitätsanbieter verknüpft. Die nächste Anmeldung mit Single Sign-on verknüpft es mit dem Konto, das ${name} dort benutzt. Tun Sie das, wenn ${name} beim Anbieter ein neues Konto hat.`,
    done: (name) => `Single-Sign-on-Verknüpfung von ${name} entfernt`,
  },
  remove: {
    action: 'Entfernen',
    title: 'Dieses Mitglied entfernen?',
    question: (name, organization) =>
      `${name} verliert den Zugang zu ${organization} und wird dort sofort abgemeldet. Das Konto bleibt bestehen, und Sie können die Person wieder einladen.`,
    nobodyInCharge:
      'Dieses Mitglied kann nicht entfernt werden: Es ist der letzte Inhaber hier oder der letzte Plattform-Inhaber mit einer Organisation, in der er sich anmelden kann. Machen Sie zuerst jemand anderen zum Inhaber.',
  },
  invitations: {
    title: 'Einladungen',
    lead: (organization) => `Laden Sie Personen per Mail zu ${organization} ein.`,
    notYours: 'Nur Inhaber und Admins können Personen einladen',
    notYoursHint: 'Bitten Sie jemanden von ihnen, die Person einzuladen.',
    form: 'Neue Einladung',
    formLead: 'Die Person erhält einen Link, der sieben Tage gilt und einmal verwendet werden kann.',
    send: 'Einladung senden',
    sent: (email) => `Wir haben die Einladung an ${email} gesendet.`,
    seeMails: 'In der Entwicklung finden Sie sie bei den gesendeten Mails.',
    isMember: 'Diese Person ist schon Mitglied.',
    isPending: 'Diese Person ist schon eingeladen. Sie können die Einladung in der Liste unten noch einmal senden.',
    tooMany: 'Zu viele Einladungen in kurzer Zeit.',
    list: 'Gesendete Einladungen',
    filter: 'Anzeigen',
    all: 'Alle',
    states: { pending: 'Offen', accepted: 'Angenommen', revoked: 'Zurückgezogen', expired: 'Abgelaufen' },
    email: 'E-Mail',
    by: (inviter) => `Gesendet von ${inviter}`,
    sentAt: 'Gesendet',
    validUntil: 'Gültig bis',
    resend: 'Erneut senden',
    resendTitle: 'Die Einladung noch einmal senden?',
    resendQuestion: (email) =>
      `${email} erhält einen neuen Link, der sieben Tage gilt. Der Link aus der früheren Mail gilt dann nicht mehr.`,
    resendClash:
      'Sie kann nicht noch einmal gesendet werden: Sie wurde inzwischen angenommen oder zurückgezogen, oder eine andere ist noch offen.',
    revoke: 'Zurückziehen',
    revokeTitle: 'Diese Einladung zurückziehen?',
    revokeQuestion: (email) => `Der Link an ${email} gilt dann nicht mehr. Sie können die Person wieder einladen.`,
    revokeClash: 'Sie wurde inzwischen angenommen. Entfernen Sie stattdessen das Mitglied.',
    none: 'Keine Einladungen',
    noneYet: 'Hier sehen Sie die gesendeten Einladungen und ihren Status.',
    noneFound: 'Es gibt keine mit diesem Status.',
  },
};
