import { Checkbox } from '@mantine/core';

interface Item {
  readonly value: string;
  readonly label?: string;
  readonly description?: string | null | undefined;
  readonly disabled?: boolean;
}

interface Props {
  readonly items: readonly Item[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** Checkboxes that select some of the items. */
export const CheckList = ({ items, value: chosen, onChange }: Props) =>
  items.map(({ value, label = value, description, disabled = false }) => (
    <Checkbox
      key={value}
      label={label}
      description={description}
      disabled={disabled}
      checked={chosen.includes(value)}
      onChange={(event) =>
        onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
      }
    />
  ));
