import type { Text } from './en.ts';

export const text: Text = {
  home: {
    title: 'Willkommen',
    lead: 'Melden Sie sich an, um Ihr Konto und Ihre Organisation zu verwalten.',
    gettingStarted: {
      title: 'Erste Schritte',
      lead: 'Der Dienst läuft im Entwicklungsmodus. Dieser Abschnitt erscheint nur dort.',
      register: 'Organisation anlegen',
      registerHint: 'und ihr Inhaber werden.',
      grant: 'Plattform-Inhaber werden, auf der Kommandozeile:',
      console: 'Konsole öffnen',
      consoleHint: 'um Benutzer, Organisationen und Anbieter zu verwalten und das Audit-Protokoll zu lesen.',
      reference: 'API-Referenz',
      openapi: 'OpenAPI-Dokument',
      readiness: 'Bereitschaft',
      mails: 'Gesendete Mails',
    },
  },
  reclaim: {
    title: 'Haben Sie dieses Konto eingerichtet?',
    created: (date) => `Dieses Konto wurde am ${date} angelegt.`,
    createdFrom: (date, device) => `Dieses Konto wurde am ${date} mit ${device} angelegt.`,
    unproven: (credentials) =>
      `Es hat ${credentials}. Das haben Sie bei dieser Anmeldung nicht bestätigt. Wenn Sie es nicht selbst eingerichtet haben, entfernen Sie es.`,
    credentials: {
      identity: 'ein verknüpftes Konto',
      passkey: 'einen Passkey',
      password: 'ein Passwort',
      totp: 'eine Bestätigung in zwei Schritten',
    },
    list: 'Bei dieser Anmeldung nicht bestätigt',
    items: {
      password: 'Passwort',
      totp: 'Bestätigung in zwei Schritten',
      passkey: (name) => `Passkey „${name}“`,
      added: (date) => `hinzugefügt am ${date}`,
    },
    removes:
      'Beim Entfernen werden auch alle anderen Geräte abgemeldet, die Bestätigung in zwei Schritten wird ausgeschaltet, auch wenn Sie sie gerade eingerichtet haben, und Ihre E-Mail-Adresse gilt als bestätigt. Danach können Sie zum Beispiel ein Passwort festlegen.',
    keep: 'Behalten und weiter',
    remove: 'Entfernen',
    tooLate:
      'Seit Ihrer Anmeldung sind mehr als 15 Minuten vergangen. Melden Sie sich mit einem neuen Code an und wählen Sie dann noch einmal.',
    doneTitle: 'Alles wurde entfernt',
    done: 'Alle anderen Geräte wurden abgemeldet, und Ihre E-Mail-Adresse ist bestätigt. Mit einem Code per E-Mail können Sie sich jederzeit anmelden.',
    setPassword: 'Passwort festlegen',
    members: (organization) => `Auch diese Personen sind Mitglied von ${organization}`,
    membersAdvice: 'Sie behalten ihren Zugang. Entfernen Sie, wen Sie nicht kennen.',
    more: (count) => (count === 1 ? 'und eine weitere Person' : `und ${count} weitere`),
    toMembers: 'Mitglieder verwalten',
    organizations: (names) =>
      `Sie gehören auch zu ${names}. Prüfen Sie auch dort die Mitglieder: Wechseln Sie in Ihrem Konto die Organisation.`,
  },
  register: {
    title: 'Organisation anlegen',
    lead: 'Sie werden ihr Inhaber und können andere einladen.',
    organization: 'Name der Organisation',
    organizationHint: 'Eine Firma, ein Team oder nur Sie selbst.',
    submit: 'Anlegen',
    taken: 'Es gibt schon ein Konto mit dieser E-Mail-Adresse.',
    hasAccount: 'Sie haben bereits ein Konto?',
    signOut: 'Abmelden und neu registrieren',
    closedTitle: 'Die Registrierung ist geschlossen',
    closed:
      'Neue Konten entstehen hier nur durch Einladung. Bitten Sie jemanden in Ihrer Organisation, Sie einzuladen.',
    doneTitle: 'Ihre Organisation ist bereit',
    done: (email) =>
      `Wir haben eine Mail an ${email} gesendet. Bitte öffnen Sie den Link darin innerhalb von 24 Stunden, um zu bestätigen, dass die Adresse Ihnen gehört.`,
  },
  forgot: {
    title: 'Neues Passwort wählen',
    lead: 'Geben Sie Ihre E-Mail-Adresse ein, und wir senden Ihnen einen Link.',
    submit: 'Link senden',
    sentTitle: 'Sehen Sie in Ihrem Postfach nach',
    sent: (email) =>
      `Wenn es ein Konto mit ${email} gibt, ist ein Link unterwegs. Er gilt eine Stunde; sehen Sie auch im Spam-Ordner nach.`,
    again: 'Noch einmal senden',
    sentAgain: 'Ein neuer Link ist unterwegs. Der vorige funktioniert nicht mehr.',
    other: 'Andere Adresse verwenden',
  },
  reset: {
    title: 'Neues Passwort wählen',
    lead: 'Sie werden überall abgemeldet und melden sich mit dem neuen an.',
    newPassword: 'Neues Passwort',
    submit: 'Passwort ändern',
    doneTitle: 'Ihr Passwort ist geändert',
    done: 'Sie wurden auf allen Geräten abgemeldet. Bitte melden Sie sich mit dem neuen Passwort an.',
    disown: 'Auch die Bestätigung in zwei Schritten entfernen, die ich nicht eingerichtet habe',
    disownHint:
      'Für ein Konto, das jemand anderes mit Ihrer E-Mail-Adresse angelegt hat. Das geht nur, solange die Adresse noch nie bestätigt wurde; sonst bleibt die Bestätigung in zwei Schritten eingeschaltet.',
    disowned:
      'Sie wurden auf allen Geräten abgemeldet. Wenn die Adresse noch nie bestätigt war, ist die Bestätigung in zwei Schritten jetzt ausgeschaltet. Bitte melden Sie sich mit dem neuen Passwort an.',
    dead: 'Er wurde schon verwendet oder ist älter als eine Stunde. Fordern Sie einen neuen an.',
    askAgain: 'Neuen Link anfordern',
  },
  verify: {
    verification: {
      title: 'Ist das Ihre E-Mail-Adresse?',
      lead: (email) =>
        `Bestätigen Sie, dass ${email} Ihnen gehört, wenn Sie hier ein Konto damit angelegt haben. Wenn nicht, schließen Sie diese Seite: dann war es jemand anderes.`,
      submit: 'Adresse bestätigen',
      doneTitle: 'Ihre Adresse ist bestätigt',
      done: (email) => `${email} gehört zu Ihrem Konto. Mehr ist nicht zu tun.`,
      ask: (email) => `Ein Konto für ${email} wartet auf Bestätigung.`,
      mine: 'Das war ich: bestätigen',
      notMine:
        'Wenn Sie dieses Konto nicht angelegt haben, hat jemand anderes Ihre Adresse verwendet. Bestätigen Sie die Adresse und entfernen Sie alles, was eingerichtet wurde: Passwort, Passkeys, verknüpfte Konten, Bestätigung in zwei Schritten und alle Sitzungen.',
      disown: 'Das war ich nicht: alles entfernen',
      disownedTitle: 'Alles wurde entfernt',
      disowned: (email) =>
        `${email} ist bestätigt, und wer das Konto angelegt hat, kann sich nicht mehr anmelden. Das Konto gehört Ihnen: Wählen Sie ein Passwort oder melden Sie sich mit einem Code per E-Mail an.`,
      choosePassword: 'Passwort wählen',
    },
    change: {
      title: 'E-Mail-Adresse ändern?',
      lead: (email) =>
        `Von nun an würden Sie sich mit ${email} anmelden, und Mails gingen dorthin. Wenn Sie das nicht verlangt haben, brechen Sie es ab.`,
      submit: 'Diese Adresse verwenden',
      doneTitle: 'Ihre Adresse ist geändert',
      done: (email) => `Von nun an melden Sie sich mit ${email} an.`,
      disown: 'Das war ich nicht: Änderung abbrechen',
      disownedTitle: 'Die Änderung ist abgebrochen',
      disowned: (email) => `${email} wurde keinem Konto hinzugefügt, und der Link funktioniert nicht mehr.`,
    },
    taken: 'Inzwischen verwendet ein anderes Konto diese Adresse, darum bleibt Ihre, wie sie ist.',
    dead: 'Er wurde schon verwendet oder ist älter als ein Tag. Wenn Ihre Adresse noch nicht bestätigt ist, erhalten Sie in Ihrem Konto einen neuen Link.',
  },
  invitation: {
    title: (organization) => `${organization} beitreten`,
    lead: ({ by, organization, role, until }) =>
      `${by} hat Sie zu ${organization} eingeladen. Ihre Rolle: ${role}. Die Einladung gilt bis ${until}.`,
    accept: 'Einladung annehmen',
    join: 'Konto anlegen und beitreten',
    hasAccount: 'Sie haben bereits ein Konto mit dieser Adresse?',
    signInFirstTitle: 'Zum Annehmen anmelden',
    signInFirst: (email) =>
      `Es gibt schon ein Konto mit ${email}. Melden Sie sich damit an; danach kommen Sie zur Einladung zurück.`,
    forAnother: (invited, here) => `Die Einladung ist für ${invited}, aber Sie sind als ${here} angemeldet.`,
    signOut: 'Abmelden und fortfahren',
    stay: 'Angemeldet bleiben',
    resetFirst:
      'Ihre E-Mail-Adresse ist noch nicht bestätigt. Folgen Sie dem Link in der Mail, die Sie bei der Registrierung erhalten haben, oder wählen Sie per Mail ein neues Passwort. Öffnen Sie dann die Einladung noch einmal.',
    joinedTitle: (organization) => `Sie sind Mitglied von ${organization}`,
    joined: 'Im Menü oben auf der Seite können Sie jederzeit zwischen Ihren Organisationen wechseln.',
    joinedSignIn: 'Melden Sie sich an, um sie zu öffnen.',
    enter: (organization) => `Zu ${organization} wechseln`,
    enterLater: 'In der aktuellen Organisation bleiben',
    over: {
      missing: {
        title: 'Unvollständiger Einladungslink',
        lead: 'Bitte öffnen Sie den Link noch einmal aus der Mail, die Sie erhalten haben.',
      },
      unknown: {
        title: 'Einladung nicht gefunden',
        lead: 'Der Link ist vielleicht unvollständig, oder eine neuere Einladung hat diese ersetzt. Verwenden Sie den Link aus der neuesten Mail oder bitten Sie um eine neue Einladung.',
      },
      accepted: {
        title: 'Diese Einladung wurde schon angenommen',
        lead: 'Mehr ist nicht zu tun. Sie finden die Organisation in Ihrem Konto.',
      },
      revoked: {
        title: 'Diese Einladung wurde zurückgezogen',
        lead: 'Jemand in der Organisation hat sie zurückgezogen. Wenn das ein Versehen war, bitten Sie um eine neue.',
      },
      expired: {
        title: 'Diese Einladung ist abgelaufen',
        lead: 'Einladungen gelten sieben Tage. Bitten Sie die Person, die Sie eingeladen hat, sie noch einmal zu senden.',
      },
      suspended: {
        title: 'Diese Organisation ist gesperrt',
        lead: 'Im Moment kann ihr niemand beitreten. Fragen Sie die Person, die Sie eingeladen hat.',
      },
      withdrawn: {
        title: 'Diese Einladung gilt nicht mehr',
        lead: 'Die Person, die sie gesendet hat, darf niemanden mehr einladen. Bitten Sie jemand anderen in der Organisation um eine neue.',
      },
    },
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    lead: 'Von diesem Browser aus ist Ihr Konto nicht mehr zugänglich.',
    again: 'Wieder anmelden',
  },
  secondFactor: {
    enrolTitle: 'Bestätigung in zwei Schritten einrichten',
    enrolLead: (organization) =>
      `${organization} verlangt bei der Anmeldung einen zweiten Schritt. Richten Sie ihn einmal ein, um fortzufahren.`,
    verifyTitle: 'Bestätigen Sie, dass Sie es sind',
    verifyLead: (organization) => `${organization} verlangt Ihren zweiten Schritt.`,
    scan: 'Scannen Sie diesen Code mit einer Authenticator-App, zum Beispiel der Ihres Passwort-Managers.',
    qrCode: 'QR-Code für Ihre Authenticator-App',
    type: 'Oder geben Sie diesen Schlüssel in der App ein:',
    code: 'Code, den die App anzeigt',
    codeHint: 'Sechs Ziffern, die sich alle 30 Sekunden ändern.',
    turnOn: 'Einschalten',
    wrong: 'Dieser Code stimmt nicht. Prüfen Sie, ob die Uhr Ihres Telefons richtig geht.',
    locked: 'Zu viele falsche Codes hintereinander.',
    over: 'Das hat länger als zehn Minuten gedauert, oder die Bestätigung in zwei Schritten wurde inzwischen an anderer Stelle eingeschaltet.',
    startAgain: 'Neu beginnen',
    changed: 'Die Bestätigung in zwei Schritten wurde an anderer Stelle eingeschaltet. Laden Sie die Seite neu.',
    signInAgain:
      'Ihre Anmeldung liegt zu lange zurück, um einen zweiten Schritt einzurichten. Melden Sie sich ab und dann neu an.',
    codesTitle: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
    codesLead:
      'Wenn Sie Ihr Telefon nicht haben, können Sie sich mit einem davon anmelden. Jeder gilt einmal. Sie werden nicht noch einmal angezeigt.',
    codes: 'Wiederherstellungscodes',
    file: 'wiederherstellungscodes.txt',
    kept: 'Ich habe sie sicher aufbewahrt',
    keptHint: 'Zum Beispiel in Ihrem Passwort-Manager.',
    enter: (organization) => `Stattdessen zu ${organization} wechseln`,
    refused: 'Sie können nicht zu dieser Organisation wechseln: Die Anmelderegeln der Organisation erlauben es nicht.',
    signOut: 'Abmelden',
  },
  mfa: {
    title: 'Bestätigung in zwei Schritten',
    leads: {
      code: 'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für dieses Konto zeigt.',
      recovery_code:
        'Geben Sie einen der Codes ein, die Sie beim Einschalten der Bestätigung in zwei Schritten aufbewahrt haben. Jeder gilt einmal.',
    },
    code: 'Code aus Ihrer Authenticator-App',
    codeHint: 'Sechs Ziffern; sie wechseln alle 30 Sekunden.',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint: 'Großschreibung und Bindestriche spielen keine Rolle.',
    use: { code: 'Authenticator-App verwenden', recovery_code: 'Wiederherstellungscode verwenden' },
    trust: 'Diesem Browser 30 Tage vertrauen',
    trustHint: 'Sie werden hier dann nicht nach einem Code gefragt. Tun Sie das nur auf einem eigenen Gerät.',
    wrong: {
      code: 'Dieser Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
      recovery_code:
        'Dieser Wiederherstellungscode stimmt nicht oder wurde schon verwendet. Versuchen Sie einen anderen.',
    },
    tooOften: {
      code: 'Für dieses Konto wurden zu viele falsche Codes eingegeben. Ein Wiederherstellungscode geht weiterhin.',
      recovery_code:
        'Für dieses Konto wurden zu viele falsche Wiederherstellungscodes eingegeben. Die Authenticator-App geht weiterhin.',
    },
    locked: 'Zu viele falsche Codes. Bitte beginnen Sie zu Ihrer Sicherheit noch einmal von vorn.',
    expired: 'Die Anmeldung hat länger als fünf Minuten gedauert. Bitte beginnen Sie noch einmal von vorn.',
    startAgain: 'Noch einmal beginnen',
    againTitle: 'Bitte melden Sie sich noch einmal an',
    account: 'Sie melden sich an als',
    usePasskey: 'Stattdessen einen Passkey verwenden',
    nothing: 'Auf dieser Seite ist keine Anmeldung im Gange. Vielleicht wurde sie neu geladen.',
    notMine: {
      summary: 'Sie haben das nicht eingeschaltet?',
      text: 'Vielleicht hat jemand anderes dieses Konto mit Ihrer E-Mail-Adresse angelegt und die Bestätigung in zwei Schritten eingeschaltet. Um das Konto zurückzubekommen, fordern Sie einen Link für ein neues Passwort an. Wählen Sie auf der Seite, die der Link öffnet, „Auch die Bestätigung in zwei Schritten entfernen, die ich nicht eingerichtet habe“. Das geht auch mit dem Link in der E-Mail, die um Bestätigung der Adresse bittet: Wählen Sie „Das war ich nicht: alles entfernen“.',
      link: 'Link anfordern',
    },
  },
  ssoFailures: {
    identity_in_use:
      'Ihr Konto hier ist mit einem anderen Konto bei Ihrem Identitätsanbieter verknüpft. Bitten Sie einen Inhaber Ihrer Organisation, die Single-Sign-on-Verknüpfung unter „Mitglieder“ zu entfernen, und versuchen Sie es dann erneut.',
    email_missing:
      'Ihr Identitätsanbieter hat keine E-Mail-Adresse in einer bestätigten Domain Ihrer Organisation gesendet. Bitten Sie einen Inhaber Ihrer Organisation, die Verbindung und ihre Domains zu prüfen.',
    access_denied:
      'Die Anmeldung wurde bei Ihrem Identitätsanbieter abgebrochen. Versuchen Sie es erneut, oder fragen Sie einen Inhaber Ihrer Organisation, ob Sie Zugang haben.',
    provider_error:
      'Der Identitätsanbieter Ihrer Organisation hat nicht wie erwartet geantwortet. Versuchen Sie es später erneut, oder bitten Sie einen Inhaber Ihrer Organisation, die Verbindung zu testen.',
    account_refused:
      'Sie können sich bei dieser Organisation nicht mit Single Sign-on anmelden. Vielleicht sind Sie kein Mitglied, Ihr Konto ist gesperrt, oder seine E-Mail-Adresse liegt außerhalb der Domains der Organisation. Bitten Sie einen Inhaber Ihrer Organisation um eine Einladung.',
  },
  failures: {
    account_exists:
      'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melden Sie sich wie bisher an und verknüpfen Sie diesen Anbieter dann in Ihrem Konto unter „Anmeldung und Sicherheit“.',
    identity_in_use:
      'Diese Anmeldung ist schon mit einem anderen Konto verknüpft. Um sie mit Ihrem zu verknüpfen, melden Sie sich im anderen Konto an und trennen Sie sie dort zuerst.',
    email_missing:
      'Wir haben vom Anbieter keine verwendbare E-Mail-Adresse erhalten. Erlauben Sie den Zugriff darauf und versuchen Sie es noch einmal, oder melden Sie sich anders an.',
    registration_closed:
      'Für Sie gibt es hier noch kein Konto, und die Registrierung ist geschlossen. Bitten Sie um eine Einladung.',
    access_denied:
      'Sie haben die Anmeldung beim Anbieter abgebrochen. Versuchen Sie es noch einmal und erlauben Sie dort den Zugriff, oder melden Sie sich anders an.',
    invalid_state:
      'Diese Anmeldung hat zu lange gedauert, wurde schon verwendet oder in einem anderen Browser begonnen. Bitte beginnen Sie noch einmal.',
    provider_error:
      'Der Anbieter hat nicht wie erwartet geantwortet. Versuchen Sie es später noch einmal oder melden Sie sich anders an.',
    account_refused:
      'Auf diese Weise können Sie sich bei diesem Konto nicht anmelden. Vielleicht ist das Konto deaktiviert, die Organisation gesperrt, oder die Anmelderegeln der Organisation erlauben diese Methode nicht. Versuchen Sie eine andere Methode oder wenden Sie sich an Ihren Administrator.',
    rate_limited:
      'Zu viele Versuche in kurzer Zeit. Bitte warten Sie ein wenig und versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  },
};
