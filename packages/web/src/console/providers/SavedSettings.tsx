import type { ProviderView } from '@gatehouse/contract';
import { Code } from '@mantine/core';
import { Panel } from '../../ui/Panel.tsx';
import { Fact, Facts } from '../Facts.tsx';
import { fieldsOf } from './faults.ts';
import { useText } from './text.ts';

/** For those who may not change them. */
export function SavedSettings({ view }: { view: ProviderView }) {
  const t = useText();
  return (
    <Panel title={t.settings}>
      <Facts>
        {fieldsOf(view).map((name) => (
          <Fact key={name} name={t.fields[name].label}>
            {view.public_config[name] ? <Code>{view.public_config[name]}</Code> : t.none}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}
