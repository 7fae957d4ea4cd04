import type { Text } from './en.ts';

export const text: Text = {
  title: 'Überblick',
  lead: 'Der aktuelle Zustand des Dienstes.',
  figures: 'Kennzahlen',
  users: 'Benutzer',
  organizations: 'Organisationen',
  sessions: 'Aktive Sitzungen',
  estimated: 'geschätzt',
  mails: 'Wartende Mails',
  mailTrouble: (failed, expired) =>
    [failed > 0 && `${failed} fehlgeschlagen`, expired > 0 && `${expired} abgelaufen`].filter(Boolean).join(', ') +
    ' in 30 Tagen',
  mailFine: 'keine fehlgeschlagen in 30 Tagen',
  signIns: 'Anmeldungen',
  signInsLead:
    'Mit Passwort, Passkey, Code per Mail, über Dritte oder Single Sign-on. Wird ein zweiter Faktor verlangt, zählt die Anmeldung, sobald er bestätigt ist.',
  range: 'Zeitraum',
  ranges: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage' },
  succeeded: 'Erfolgreich',
  failed: 'Fehlgeschlagen',
  count: {
    succeeded: (count) => (count === 1 ? '1 Anmeldung' : `${count.toLocaleString('de')} Anmeldungen`),
    failed: (count) => (count === 1 ? '1 Fehlversuch' : `${count.toLocaleString('de')} Fehlversuche`),
  },
  noSignIns: 'In dieser Zeit hat sich niemand angemeldet.',
  noFailures: 'In dieser Zeit ist kein Versuch fehlgeschlagen.',
  soFar: 'bisher',
  bar: (when, count) => `${when}: ${count}`,
  chartHint: 'Mit den Pfeiltasten von Balken zu Balken.',
  asTable: 'Als Tabelle anzeigen',
  hour: 'Stunde',
  day: 'Tag (UTC)',
  status: 'Zustand',
  ready: 'Bereit',
  notReady: 'Nicht bereit',
  readyLead: 'Die Antwort von /readyz, wie ein Load-Balancer sie sieht.',
  checks: {
    database: {
      name: 'Datenbank',
      ok: 'erreichbar',
      failed: 'nicht erreichbar',
      help: 'Prüfen Sie DATABASE_URL und ob PostgreSQL läuft.',
    },
    migrations: {
      name: 'Migrationen',
      ok: 'alle angewandt',
      failed: 'unvollständig',
      help: 'Führen Sie „npx gatehouse migrate“ aus.',
    },
    signing_key: {
      name: 'Signaturschlüssel',
      ok: 'in Gebrauch',
      failed: 'keiner ist brauchbar',
      help: '„npx gatehouse doctor“ zeigt den Grund.',
    },
    mail: {
      name: 'E-Mail',
      ok: 'kann gesendet werden',
      failed: 'kann nicht gesendet werden',
      help: 'Richten Sie unter Anbieter Resend ein, oder setzen Sie SMTP_URL.',
    },
  },
  degradedTitle: 'Gestörte Anbieter',
  branding: {
    title: 'Erscheinungsbild',
    lead: 'So zeigt sich der Dienst auf Seiten und in E-Mails. Um es zu ändern, ändern Sie diese Einstellungen und starten Sie den Dienst neu.',
    unset: 'Nicht gesetzt',
  },
  renewed: (time) => `Stand ${time}. Wird alle 15 Sekunden aktualisiert.`,
};
