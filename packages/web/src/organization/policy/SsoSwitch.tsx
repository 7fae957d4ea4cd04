import { Anchor, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ChangeEvent } from 'react';
import { usePermission } from '../../app/session.ts';
import { connectionsQuery } from '../sso/query.ts';
import { useText } from '../text.ts';

interface Props {
  readonly organization_id: string;
  readonly checked: boolean;
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** Requires single sign-on. It can only be turned on while a connection is active. */
export function SsoSwitch({ organization_id, checked, onChange }: Props) {
  const t = useText().policy;
  const { data } = useQuery({ ...connectionsQuery(organization_id), enabled: usePermission('sso.manage') });
  const isMissing = data !== undefined && !data.items.some(({ status }) => status === 'active');
  return (
    <div>
      <Switch
        label={t.sso}
        description={t.ssoHint}
        checked={checked}
        disabled={isMissing && !checked}
        onChange={onChange}
      />
      {isMissing && (
        <Text size="sm" mt="xs">
          {t.ssoMissing}{' '}
          <Anchor component={Link} to="/organization/sso" size="sm" underline="always">
            {t.toSso}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
