/** Colours of the page that the scene is drawn with: dark or light, as the system has it. */
export interface Theme {
  dark: boolean;
  ground: string;
  softGround: string;
  groundLine: string;
  spring: string;
}

const query = window.matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    dark: query.matches,
    ground: read("--ground"),
    softGround: read("--soft-ground"),
    groundLine: read("--ground-line"),
    spring: read("--spring"),
  };
}

export function onTheme(run: () => void): void {
  query.addEventListener("change", run);
}
