import type { Text } from './en.ts';

export const text: Text = {
  degraded: {
    fields_missing: {
      why: 'Eine nötige Einstellung fehlt.',
      help: 'Füllen Sie alle Pflichtfelder aus und speichern Sie.',
    },
    secret_missing: { why: 'Das Geheimnis fehlt.', help: 'Geben Sie das Geheimnis ein und speichern Sie.' },
    key_unset: {
      why: 'Das Geheimnis ist verschlüsselt, und der Dienst hat keinen Schlüssel, um es zu entschlüsseln.',
      help: 'Setzen Sie CONFIG_ENCRYPTION_KEY auf den Schlüssel, mit dem es verschlüsselt wurde, und starten Sie den Dienst neu. Ist er verloren, setzen Sie einen neuen, starten Sie neu und speichern Sie das Geheimnis noch einmal.',
    },
    key_unknown: {
      why: 'Das Geheimnis ist mit einem anderen Schlüssel verschlüsselt als dem, den der Dienst hat.',
      help: 'Setzen Sie den alten Schlüssel als CONFIG_ENCRYPTION_KEY_PREVIOUS, starten Sie neu und führen Sie „npx gatehouse config-key rotate“ aus. Oder speichern Sie das Geheimnis noch einmal.',
    },
    secret_unreadable: {
      why: 'Das verschlüsselte Geheimnis ist beschädigt.',
      help: 'Speichern Sie das Geheimnis noch einmal.',
    },
  },
  readOnly: 'Sie können hier alles sehen. Um etwas zu ändern, brauchen Sie die Rolle eines Plattform-Admins.',
};
