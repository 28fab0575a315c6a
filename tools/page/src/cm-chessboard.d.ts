// cm-chessboard has no types of its own.
declare module "cm-chessboard/src/Chessboard.js" {
  export const BORDER_TYPE: { none: string };
  export const INPUT_EVENT_TYPE: { validateMoveInput: string };
  export interface MoveInput {
    type: string;
    squareFrom: string;
    squareTo: string;
    reason?: string;
  }
  export class Chessboard {
    constructor(context: HTMLElement, props: object);
    enableMoveInput(handler: (event: MoveInput) => boolean): void;
    cancelMoveInput(): void;
    setPosition(fen: string, animated?: boolean): Promise<void>;
    setOrientation(color: string): Promise<void>;
    getOrientation(): string;
    addMarker(type: object, square: string): void;
    removeMarkers(type: object): void;
  }
}
declare module "cm-chessboard/src/extensions/markers/Markers.js" {
  export const Markers: unknown;
  export const MARKER_TYPE: { frame: object; framePrimary: object; circlePrimary: object; square: object };
}
