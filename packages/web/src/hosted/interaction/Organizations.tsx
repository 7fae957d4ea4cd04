import { useState } from 'react';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import classes from './Choice.module.css';
import { Choice } from './Choice.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

/** For members of several organizations: which one the application sees. */
export function Organizations({ interaction: { application, organizations }, session, decide }: StepProps) {
  const t = useText();
  const words = useWords();
  const own = organizations.find(({ id }) => id === session.user.organization_id) ?? organizations[0];
  const [chosen, setChosen] = useState(own?.id);
  return (
    <Frame title={t.organizations.title} lead={t.organizations.lead(application?.name ?? t.fallbackName)}>
      <fieldset className={classes.organizations}>
        <legend className="visually-hidden">{t.organizations.legend}</legend>
        {organizations.map(({ id, name }) => (
          <label key={id}>
            <input type="radio" name="organization" checked={id === chosen} onChange={() => setChosen(id)} />
            {name}
          </label>
        ))}
      </fieldset>
      <Choice
        deny={t.organizations.deny}
        allow={words.continue}
        onDeny={() => decide('deny')}
        onAllow={() => decide('allow', chosen)}
      />
    </Frame>
  );
}
