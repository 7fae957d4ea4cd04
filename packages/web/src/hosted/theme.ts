import { Anchor, Button, Checkbox, createTheme, PasswordInput, TextInput } from '@mantine/core';

/**
 * Large enough for thumbs, and for phones not to zoom in on what is typed. Nearly everything asked for here is needed, so what is not says so, in place of asterisks.
 */
const field = { size: 'md', withAsterisk: false } as const;

export const hostedTheme = createTheme({
  components: {
    // Told from the text around them without a look at the colour.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always', inherit: true } }),
    Button: Button.extend({ defaultProps: { size: 'md' } }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'sm' } }),
    PasswordInput: PasswordInput.extend({ defaultProps: field }),
    TextInput: TextInput.extend({ defaultProps: field }),
  },
});
