import type { Text } from './en.ts';

export const text: Text = {
  title: 'Single Sign-on',
  lead: 'Mitglieder melden sich mit den Konten an, die Ihre Organisation schon hat, bei einem Anbieter, der OpenID Connect unterstützt.',
  notYours: 'Nur Inhaber können Single Sign-on einrichten',
  empty: 'Noch keine Verbindungen',
  emptyHint:
    'Erstellen Sie eine, um den Identitätsanbieter Ihrer Organisation zu verbinden, etwa Microsoft Entra ID, Okta, Google Workspace oder Keycloak.',
  domainFirst: {
    title: 'Bestätigen Sie zuerst eine Domain',
    lead: 'Single Sign-on funktioniert für E-Mail-Adressen in bestätigten Domains. Sie können eine Verbindung schon vorbereiten.',
    link: 'Zu den Domains',
  },
  toList: 'Zu Single Sign-on',
  missingTitle: 'Verbindung nicht gefunden',
  missing: 'Sie wurde möglicherweise gelöscht.',
  create: 'Neue Verbindung',
  createVerb: 'Verbindung erstellen',
  created: (name) => `${name} erstellt`,
  full: 'Ihre Organisation hat bereits fünf Verbindungen.',
  name: 'Name',
  nameHint: 'Wird auf der Anmeldeseite angezeigt: „Weiter mit …“.',
  nameMissing: 'Geben Sie einen Namen ein.',
  issuer: 'Aussteller (Issuer)',
  issuerHint:
    'Die Adresse Ihres Anbieters, genau wie seine Dokumentation oder sein Discovery-Dokument sie nennt, etwa https://login.example.com.',
  issuerWrong: 'Geben Sie eine Adresse ein, die mit https:// beginnt, ohne Fragezeichen und ohne #.',
  client_id: 'Client-ID',
  clientHint:
    'Registrieren Sie diesen Dienst als Webanwendung bei Ihrem Anbieter. Er zeigt dann die Client-ID und das Secret an.',
  clientMissing: 'Geben Sie die Client-ID ein.',
  secret: 'Client-Secret',
  secretHint:
    'Lassen Sie es nur leer, wenn Ihr Anbieter keines ausgestellt hat. Es kann nicht wieder angezeigt werden.',
  secretKept: 'Ein Secret ist gespeichert. Lassen Sie das Feld leer, um es zu behalten.',
  secretLost:
    'Das gespeicherte Secret gehört zum bisherigen Aussteller und wird entfernt. Geben Sie das Secret des neuen Ausstellers ein.',
  showSecret: 'Secret anzeigen',
  noKey:
    'Der Dienst kann keine Secrets speichern: Sein Betreiber muss zuerst CONFIG_ENCRYPTION_KEY setzen. Wenden Sie sich an den Betreiber des Dienstes.',
  rejected: 'Der Dienst hat diese Werte nicht angenommen. Prüfen Sie Aussteller, Client-ID und Domains.',
  taken: 'Eine andere Verbindung verwendet eine dieser Domains. Laden Sie die Seite neu, um zu sehen, welche.',
  domains: 'Domains',
  status: 'Status',
  states: { draft: 'Entwurf', active: 'Aktiv' },
  lastTest: 'Letzter Test',
  testStates: { good: 'Bestanden', bad: 'Fehlgeschlagen', none: 'Nicht getestet' },
  next: {
    domains: 'Als Nächstes: Wählen Sie mindestens eine Domain aus.',
    test: 'Als Nächstes: Testen Sie die Verbindung.',
    failed:
      'Der letzte Test ist fehlgeschlagen. Lesen Sie das Ergebnis unten, korrigieren Sie die Werte und testen Sie erneut.',
    activate: 'Der Test wurde bestanden. Als Nächstes: Aktivieren Sie die Verbindung.',
    active: (domains) =>
      `Die Verbindung ist aktiv. Benutzer mit einer Adresse in ${domains} können sich mit ihr anmelden.`,
    idle: 'Die Verbindung ist aktiv, hat aber keine bestätigte Domain. Deshalb bietet die Anmeldeseite sie nicht an. Wählen Sie eine Domain aus.',
  },
  provider: {
    title: '1. Anbieter',
    lead: 'Die Werte, die Sie von Ihrem Identitätsanbieter erhalten.',
    saved: 'Anbieter gespeichert',
    ends: 'Durch das Speichern wird diese Verbindung zum Entwurf, und alle, die sich mit ihr angemeldet haben, werden abgemeldet. Testen und aktivieren Sie sie danach erneut.',
  },
  callback: {
    title: '2. Callback-URL',
    lead: 'Tragen Sie diese Adresse bei Ihrem Anbieter als Redirect-URI ein, auch Callback- oder Antwort-URL genannt. Sie muss genau übereinstimmen.',
    copy: 'Callback-URL kopieren',
    scopes: 'Der Dienst fragt nach den Scopes openid, email und profile.',
  },
  scope: {
    title: '3. Domains',
    lead: 'Benutzern mit einer E-Mail-Adresse in diesen Domains bietet die Anmeldeseite diese Verbindung an.',
    label: 'Bestätigte Domains',
    none: 'Ihre Organisation hat noch keine bestätigte Domain.',
    usedBy: (name) => `Wird von der Verbindung ${name} verwendet.`,
    saved: 'Domains gespeichert',
    ends: 'Benutzer mit einer Adresse in einer Domain, die Sie hier entfernen, können sich mit dieser Verbindung nicht mehr anmelden.',
  },
  members: {
    title: '4. Mitglieder und Rollen',
    lead: 'Was geschieht, wenn sich jemand mit dieser Verbindung anmeldet.',
    create: 'Neue Mitglieder automatisch hinzufügen',
    createHint:
      'Aus: Nur Mitglieder und Benutzer mit einer Einladung können sich anmelden. Ein: Alle, die sich bei Ihrem Anbieter anmelden können und eine Adresse in den ausgewählten Domains haben, werden Mitglied. Entfernte Mitglieder werden nicht wieder hinzugefügt.',
    role: 'Rolle neuer Mitglieder',
    trust: 'Dem zweiten Faktor des Anbieters vertrauen',
    trustHint:
      'Meldet der Anbieter, dass er einen zweiten Faktor geprüft hat, wird hier kein weiterer verlangt. Schalten Sie das nur ein, wenn Ihr Anbieter einen zweiten Faktor vorschreibt.',
    saved: 'Mitglieder und Rollen gespeichert',
    forbidden: 'Eine der Rollen enthält Berechtigungen, die Sie nicht haben.',
  },
  test: {
    title: '5. Test',
    lead: 'Sie melden sich beim Anbieter an und kehren auf diese Seite zurück. Für Mitglieder ändert sich nichts, und Sie bleiben hier angemeldet.',
    verb: 'Verbindung testen',
    unreadable: 'Die Konfiguration des Anbieters konnte nicht gelesen werden. Das Ergebnis unten sagt, warum.',
    passed: 'Der Test wurde bestanden',
    failed: 'Der Test ist fehlgeschlagen',
    none: 'Die Verbindung wurde mit diesen Werten noch nicht getestet.',
  },
  causes: {
    not_public:
      'Der Aussteller oder eine Adresse in seinen Metadaten liegt in einem privaten Netzwerk. Verwenden Sie eine Adresse im Internet, oder bitten Sie den Betreiber dieses Dienstes, private Netzwerke zu erlauben.',
    unreachable:
      'Der Anbieter ist nicht erreichbar. Prüfen Sie die Adresse des Ausstellers und ob der Anbieter in Betrieb ist.',
    timeout:
      'Der Anbieter hat nicht innerhalb von 5 Sekunden geantwortet. Versuchen Sie es erneut, oder prüfen Sie, ob er in Betrieb ist.',
    certificate:
      'Das TLS-Zertifikat des Anbieters ist nicht gültig. Installieren Sie ein Zertifikat einer öffentlichen Zertifizierungsstelle.',
    insecure:
      'Der Aussteller oder eine Adresse in seinen Metadaten beginnt nicht mit https://. Schalten Sie beim Anbieter https ein.',
    redirected:
      'Der Anbieter hat mit einer Weiterleitung geantwortet, der nicht gefolgt wird. Geben Sie den Aussteller genau so ein, wie der Anbieter ihn anzeigt.',
    too_large: 'Die Antwort des Anbieters ist größer als 1 MB. Prüfen Sie die Adresse des Ausstellers.',
    metadata:
      'Die Metadaten des Anbieters können nicht gelesen werden. Prüfen Sie, ob die Adresse des Ausstellers, gefolgt von /.well-known/openid-configuration, ein JSON-Dokument liefert.',
    endpoints:
      'In den Metadaten des Anbieters fehlt eine Adresse für Autorisierung, Tokens oder Schlüssel. Der Anbieter muss OpenID Connect mit dem Authorization Code Flow unterstützen.',
    issuer_mismatch:
      'Der Anbieter nennt einen anderen Aussteller. Geben Sie den Aussteller genau wie in seinen Metadaten ein, auch einen Schrägstrich am Ende.',
    redirect_uri: 'Der Anbieter kennt diese Redirect-URI nicht. Registrieren Sie dort {callback_url}, genau so.',
    client:
      'Der Anbieter akzeptiert die Client-ID oder das Client-Secret nicht. Kopieren Sie beide noch einmal vom Anbieter.',
    client_method:
      'Der Anbieter akzeptiert weder client_secret_basic noch client_secret_post. Erlauben Sie eines davon für diesen Client.',
    secret:
      'Das gespeicherte Client-Secret kann nicht entschlüsselt werden. Geben Sie es erneut ein, oder bitten Sie den Betreiber dieses Dienstes, CONFIG_ENCRYPTION_KEY wiederherzustellen.',
    scope: 'Der Anbieter erlaubt die Scopes openid, email und profile für diesen Client nicht. Erlauben Sie sie dort.',
    denied: 'Die Anmeldung wurde beim Anbieter abgebrochen. Starten Sie den Test erneut und stimmen Sie dort zu.',
    refused: 'Der Anbieter hat die Anfrage abgelehnt. Prüfen Sie dort die Einstellungen des Clients und das Protokoll.',
    code: 'Der Anbieter hat seinen eigenen Autorisierungscode nicht angenommen. Prüfen Sie, ob seine Uhr richtig geht, und starten Sie den Test erneut.',
    token: 'Die Token-Antwort des Anbieters kann nicht gelesen werden. Prüfen Sie das Protokoll des Anbieters.',
    algorithm:
      'Der Anbieter signiert ID-Tokens mit einem Verfahren, das nicht akzeptiert wird. Wählen Sie für diesen Client RS256, PS256, ES256 oder EdDSA.',
    keys: 'Die Signaturschlüssel des Anbieters können nicht gelesen werden. Prüfen Sie die Adresse jwks_uri in seinen Metadaten.',
    signature:
      'Das ID-Token ist nicht mit einem Schlüssel signiert, den der Anbieter veröffentlicht. Prüfen Sie die Schlüssel des Anbieters.',
    nonce: 'Das ID-Token gehört zu einer anderen Anmeldung. Starten Sie den Test erneut.',
    audience: 'Das ID-Token wurde für einen anderen Client ausgestellt. Prüfen Sie die Client-ID.',
    time: 'Das ID-Token ist abgelaufen oder noch nicht gültig. Prüfen Sie die Uhr des Anbieters.',
    subject:
      'Das ID-Token enthält keine brauchbare Kennung (Claim sub). Prüfen Sie die Claims, die der Anbieter sendet.',
    userinfo:
      'Die Benutzerinformationen (userinfo) des Anbieters können nicht gelesen werden oder betreffen einen anderen Benutzer. Prüfen Sie das Protokoll des Anbieters.',
    email:
      'Der Anbieter hat keine E-Mail-Adresse gesendet. Erlauben Sie den Scope email für diesen Client, oder fügen Sie dem ID-Token den Claim email hinzu.',
  },
  activate: {
    title: '6. Aktivieren',
    draft: 'Nicht aktiv: Die Anmeldeseite bietet diese Verbindung nicht an.',
    active: 'Aktiv: Die Anmeldeseite bietet diese Verbindung an.',
    verb: 'Aktivieren',
    done: (name) => `${name} ist aktiv`,
    conflict:
      'Testen Sie die Verbindung zuerst: Seit der letzten Änderung der Werte unter „1. Anbieter“ muss ein Test bestanden worden sein.',
    rules: 'Um nur noch Single Sign-on zuzulassen, schalten Sie in den Anmelderegeln „Single Sign-on verlangen“ ein.',
    toRules: 'Zu den Anmelderegeln',
  },
  deactivate: {
    verb: 'Deaktivieren',
    title: (name) => `${name} deaktivieren?`,
    question:
      'Alle, die sich mit dieser Verbindung angemeldet haben, werden abgemeldet, und die Anmeldeseite bietet sie nicht mehr an.',
    done: (name) => `${name} ist nicht mehr aktiv`,
  },
  required:
    'Ihre Anmelderegeln schreiben Single Sign-on vor, und dies ist die letzte aktive Verbindung. Ändern Sie zuerst die Regeln, unter „Anmelderegeln“.',
  remove: {
    title: 'Löschen',
    lead: 'Alle, die sich mit dieser Verbindung angemeldet haben, werden abgemeldet, und die Verknüpfungen zwischen Mitgliedern und ihren Konten beim Anbieter werden entfernt. Mitglieder behalten ihre Konten hier.',
    verb: 'Verbindung löschen',
    ask: (name) => `${name} löschen?`,
    type: (name) => `Zur Bestätigung ${name} eingeben`,
    done: (name) => `${name} gelöscht`,
  },
  tooOften: 'Zu viele Versuche in kurzer Zeit.',
};
