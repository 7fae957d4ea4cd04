import { Button, Checkbox, Group, Portal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { saveFile } from '../../app/save-file.ts';
import { useMe } from '../../app/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { useWords } from '../../ui/words.ts';
import classes from './Enrol.module.css';
import { useText } from './text.ts';

interface Props {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Shows the codes, which are available only once. The user has to confirm that they are saved. */
export function RecoveryCodes({ codes, onKept }: Props) {
  const t = useText().codes;
  const words = useWords();
  const { language } = useLanguage();
  const { email } = useMe();
  const [isKept, setIsKept] = useState(false);
  const heading = t.heading(email, location.host);
  const made = t.made(new Date().toLocaleDateString(language, { dateStyle: 'long' }));
  const asText = [heading, made, t.each, '', ...codes, ''].join('\n');
  const list = codes.map((code) => <li key={code}>{code}</li>);
  return (
    <Stack>
      <Text size="sm">{t.lead}</Text>
      <ol className={classes.codes} aria-label={t.list}>
        {list}
      </ol>
      <Group gap="xs">
        <CopyButton value={codes.join('\n')} label={t.copy} data-autofocus />
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={16} />}
          onClick={() => saveFile(t.file, asText, 'text/plain;charset=utf-8')}
        >
          {words.download}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="print" size={16} />}
          onClick={() => window.print()}
        >
          {words.print}
        </Button>
      </Group>
      <Checkbox label={t.kept} checked={isKept} onChange={(event) => setIsKept(event.currentTarget.checked)} />
      <Button disabled={!isKept} onClick={onKept}>
        {t.done}
      </Button>
      <Portal>
        <div className={classes.sheet} aria-hidden="true">
          <h1>{heading}</h1>
          <p>
            {made}. {t.each}
          </p>
          <ol>{list}</ol>
        </div>
      </Portal>
    </Stack>
  );
}
