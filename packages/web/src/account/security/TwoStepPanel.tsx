import type { MfaSetup } from '@gatehouse/contract';
import { Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dimmed } from '../../app/Dimmed.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Done } from '../Done.tsx';
import { Hint } from '../Hint.tsx';
import { ConfirmForm } from './ConfirmForm.tsx';
import { EnrolForm } from './EnrolForm.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { useText } from './text.ts';

const MFA = { queryKey: ['mfa'], queryFn: () => client.mfa.status() };

type Step =
  | { readonly kind: 'enrol'; readonly setup: MfaSetup }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'renew' | 'turn off' };

const reload = () => Promise.all([reloadSession(), queries.invalidateQueries({ queryKey: MFA.queryKey })]);

export function TwoStepPanel() {
  const t = useText();
  const { data: status } = useSuspenseQuery(MFA);
  const [step, setStep] = useState<Step>();
  const [done, setDone] = useState<string>();
  const close = () => setStep(undefined);
  // Called before the QR code is shown, so that a step-up comes before scanning it.
  const begin = useAction(async () => {
    setDone(undefined);
    setStep({ kind: 'enrol', setup: await client.mfa.setUp() });
  });
  const show = async (codes: readonly string[]) => {
    setStep({ kind: 'codes', codes });
    await reload();
  };
  const renew = async (password: string | undefined) => {
    const { recovery_codes } = await client.mfa.renewRecoveryCodes(password);
    await show(recovery_codes);
  };
  const turnOff = async (password: string | undefined) => {
    await client.mfa.disable(password);
    await reload();
    close();
    setDone(t.mfa.turnedOff);
  };
  const finish = () => {
    close();
    setDone(t.codes.saved);
  };
  const ask = (kind: 'renew' | 'turn off') => {
    setDone(undefined);
    setStep({ kind });
  };
  return (
    <Panel title={t.mfa.title} lead={t.mfa.lead}>
      <ErrorNote error={begin.error} sentences={{ conflict: t.mfa.conflict }} />
      <Group justify="space-between">
        <Group gap="sm">
          {status.enabled ? (
            <Tag marked tone="good">
              {t.mfa.on}
            </Tag>
          ) : (
            <Tag>{t.mfa.off}</Tag>
          )}
          {status.enabled && (
            <Dimmed>
              {t.mfa.since} <Moment at={status.enabled_at} />
            </Dimmed>
          )}
        </Group>
        {status.enabled ? (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => ask('renew')}>
              {t.mfa.newCodes}
            </Button>
            <Button variant="default" size="xs" onClick={() => ask('turn off')}>
              {t.mfa.turnOff}
            </Button>
          </Group>
        ) : (
          <Button size="xs" loading={begin.busy} onClick={() => void begin.run()}>
            {t.mfa.turnOn}
          </Button>
        )}
      </Group>
      {status.enabled && <Remaining count={status.recovery_codes_remaining} />}
      <Done>{done}</Done>
      <FormDialog opened={step?.kind === 'enrol'} onClose={close} title={t.enrol.title}>
        {step?.kind === 'enrol' && <EnrolForm setup={step.setup} onEnabled={show} />}
      </FormDialog>
      <FormDialog
        opened={step?.kind === 'codes'}
        onClose={finish}
        title={t.codes.title}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
      >
        {step?.kind === 'codes' && <RecoveryCodes codes={step.codes} onKept={finish} />}
      </FormDialog>
      <FormDialog opened={step?.kind === 'renew'} onClose={close} title={t.mfa.newCodesTitle}>
        <ConfirmForm question={t.mfa.newCodesQuestion} verb={t.mfa.newCodesVerb} work={renew} />
      </FormDialog>
      <FormDialog opened={step?.kind === 'turn off'} onClose={close} title={t.mfa.offTitle}>
        <ConfirmForm question={t.mfa.offQuestion} verb={t.mfa.turnOff} danger work={turnOff} />
      </FormDialog>
    </Panel>
  );
}

const WARN_UP_TO = 3;

function Remaining({ count }: { count: number }) {
  const t = useText().mfa;
  const sentence = count === 0 ? t.noneLeft : t.remaining(count);
  if (count > WARN_UP_TO) return <Text size="sm">{sentence}</Text>;
  return (
    <Hint urgent>
      {sentence} {t.few}
    </Hint>
  );
}
