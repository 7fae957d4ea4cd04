import { Stack, Text } from '@mantine/core';
import { Dimmed } from '../../app/Dimmed.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { useMe } from '../../app/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';
import { CheckAgain } from './CheckAgain.tsx';
import classes from './Line.module.css';
import { shellWord } from './shell-word.ts';

export function FirstOwner() {
  const t = useText().access;
  const { email } = useMe();
  return (
    <>
      <PageHead title={t.title} lead={t.firstLead} />
      <Panel title={t.firstTitle}>
        <Stack gap="xs">
          <Text>{t.firstStep}</Text>
          <Line label={t.command}>{`npx gatehouse admin grant ${shellWord(email)}`}</Line>
          <Text>{t.firstThen}</Text>
        </Stack>
        <CheckAgain />
        <Stack gap="xs">
          <Dimmed>{t.deployed}</Dimmed>
          <Line label={t.setting}>{`INITIAL_OWNER_EMAIL=${shellWord(email)}`}</Line>
        </Stack>
      </Panel>
    </>
  );
}

interface Props {
  readonly label: string;
  readonly children: string;
}

const Line = ({ label, children }: Props) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
  <div className={classes.line} role="group" aria-label={label}>
    <code>{children}</code>
    <CopyButton value={children} />
  </div>
);
