import { LIMITS } from '@gatehouse/contract';
import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Face } from '../../app/Face.tsx';
import { reloadSession, useMe } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Note } from '../../ui/Note.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { Done } from '../Done.tsx';
import { useText } from './text.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const MEGABYTES = Math.floor(LIMITS.avatarBytes / 1_000_000);

/** Returns an object URL for the file, which is revoked when the file changes. */
function usePreview(file: File | null): string | null {
  const address = useMemo(() => file && URL.createObjectURL(file), [file]);
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address]);
  return address;
}

export function PicturePanel() {
  const t = useText().picture;
  const words = useWords();
  const me = useMe();
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string>();
  const [done, setDone] = useState<string>();
  const preview = usePreview(file);
  const forget = useRef<() => void>(null);
  const upload = useAction(async (picture: File) => {
    await client.account.uploadAvatar(picture);
    await reloadSession();
    setFile(null);
    setDone(t.saved);
  });
  const remove = async () => {
    await client.account.removeAvatar();
    await reloadSession();
    setDone(t.removed);
  };
  const choose = (chosen: File | null) => {
    if (!chosen) return;
    // Resets the input, so that the same file can be chosen again.
    forget.current?.();
    upload.clear();
    setDone(undefined);
    const isFit = TYPES.includes(chosen.type) && chosen.size <= LIMITS.avatarBytes;
    setFault(isFit ? undefined : TYPES.includes(chosen.type) ? t.tooLarge(MEGABYTES) : t.wrongType);
    setFile(isFit ? chosen : null);
  };
  return (
    <Panel title={t.title} lead={t.lead}>
      <Group gap="lg" align="center">
        <Face name={me.display_name || me.email} src={preview ?? me.avatar_url} size={96} />
        <Stack gap="xs" flex="1 1 16rem">
          {fault && <Note>{fault}</Note>}
          <ErrorNote error={upload.error} sentences={{ invalid_input: t.refused, rate_limited: t.busy }} />
          <Done>{done}</Done>
          {file && (
            <Text size="sm" role="status">
              {t.preview}
            </Text>
          )}
          <Group gap="xs">
            {file && (
              <Button size="xs" loading={upload.busy} onClick={() => void upload.run(file)}>
                {t.use}
              </Button>
            )}
            <FileButton resetRef={forget} onChange={choose} accept={TYPES.join(',')}>
              {(props) => (
                <Button variant="default" size="xs" {...props}>
                  {file || me.avatar_url ? t.another : t.choose}
                </Button>
              )}
            </FileButton>
            {file && (
              <Button variant="subtle" size="xs" onClick={() => setFile(null)}>
                {words.cancel}
              </Button>
            )}
            {!file && me.avatar_url && (
              <ConfirmButton title={t.removeTitle} question={t.removeQuestion} verb={t.remove} work={remove} />
            )}
          </Group>
          <Dimmed>{t.hint(MEGABYTES)}</Dimmed>
        </Stack>
      </Group>
    </Panel>
  );
}
