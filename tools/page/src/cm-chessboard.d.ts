// cm-chessboard has no types of its own.
declare module "cm-chessboard/src/Chessboard.js" {
  export const BORDER_TYPE: { none: string };
  export const INPUT_EVENT_TYPE: { validateMoveInput: string };
  export class Chessboard {
    constructor(context: HTMLElement, props: object);
    enableMoveInput(handler: (event: { type: string; squareFrom: string; squareTo: string }) => boolean): void;
    enableSquareSelect(type: string, handler: (event: { square: string }) => void): void;
    setPosition(fen: string, animated?: boolean): Promise<void>;
    addMarker(type: object, square: string): void;
    removeMarkers(): void;
  }
}
declare module "cm-chessboard/src/extensions/accessibility/Accessibility.js" {
  export const Accessibility: unknown;
}
declare module "cm-chessboard/src/extensions/markers/Markers.js" {
  export const Markers: unknown;
  export const MARKER_TYPE: { frame: object; square: object };
}
