import { useState } from 'react';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { Choice } from './Choice.tsx';
import { OrganizationField } from './OrganizationField.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

export function Organizations({ interaction: { application, organizations }, decide }: StepProps) {
  const t = useText();
  const words = useWords();
  const [chosen, setChosen] = useState(organizations[0]?.id);
  return (
    <Frame title={t.organizations.title} lead={t.organizations.lead(application?.name ?? t.fallbackName)}>
      <OrganizationField organizations={organizations} value={chosen} onChange={setChosen} />
      <Choice
        deny={t.organizations.deny}
        allow={words.continue}
        onDeny={() => decide('deny')}
        onAllow={() => decide('allow', chosen)}
      />
    </Frame>
  );
}
