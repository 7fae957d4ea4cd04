import { Select } from '@mantine/core';
import { useText as useAppText } from '../app/text.ts';
import classes from './Audit.module.css';
import { useText } from './text.ts';
import { actionName } from './words.ts';

interface Props {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

export function ActionSelect({ value, onChange }: Props) {
  const t = useText();
  const shared = useAppText().select;
  const known = Object.keys(t.actions);
  // The URL may name an action that this version does not know.
  const names = value !== undefined && !known.includes(value) ? [value, ...known] : known;
  return (
    <Select
      label={t.action}
      placeholder={t.anyAction}
      data={names.map((name) => ({ value: name, label: actionName(name, t) }))}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': shared.clear }}
      nothingFoundMessage={shared.nothingFound}
      filter={({ options, search }) => {
        const wanted = search.trim().toLowerCase();
        return options.filter(
          (option) => 'value' in option && `${option.label} ${option.value}`.toLowerCase().includes(wanted),
        );
      }}
      renderOption={({ option }) => (
        <span>
          {option.label} <span className={classes.raw}>{option.value}</span>
        </span>
      )}
      maxDropdownHeight={320}
      classNames={{ dropdown: classes.choices }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
