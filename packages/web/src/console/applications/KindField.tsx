import { APPLICATION_KINDS, type ApplicationKind } from '@gatehouse/contract';
import { Radio, Stack } from '@mantine/core';
import { useText } from './text.ts';

interface Props {
  readonly value: ApplicationKind;
  readonly onChange: (kind: ApplicationKind) => void;
}

export function KindField({ value, onChange }: Props) {
  const t = useText();
  return (
    <Radio.Group
      label={t.kind}
      value={value}
      onChange={(next) => onChange(APPLICATION_KINDS.find((kind) => kind === next) ?? value)}
    >
      <Stack gap="xs" mt="xs">
        {APPLICATION_KINDS.map((kind) => (
          <Radio key={kind} value={kind} label={t.kinds[kind].name} description={t.kinds[kind].hint} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
