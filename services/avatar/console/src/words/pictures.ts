export const t = {
  hereIsASuggestionChangeWhat: "Here is a suggestion. Change what you like, then save it.",
  aSuggestionIsReady:
    "The suggestion from your photo is ready. It takes the place of the design in the editor; Undo there brings that back.",
  useIt: "Use it",
  fromAPhoto: "From a photo",
  showUsAPhotoOfYour:
    "Show us a photo of your face and we suggest a drawing that looks like it. You can change it before you save.",
  lookingAtYourPhoto: "Looking at your photo",
  thisTakesAFewSeconds: "This takes a few seconds",
  chooseAPhoto: "Choose a photo",
  pngJpegOrWebpWithOne: "PNG, JPEG or WebP, with one face, large and well lit.",
  whatHappensToThePhoto: "What happens to the photo",
  itIsMadeSmallerInYour:
    "It is made smaller in your browser, without the place and time the camera wrote into it.",
  itIsLookedAtOnceAnd: "It is looked at once, and then forgotten. It is never stored and never logged.",
  nothingIsSavedUntilYouSave: "Nothing is saved until you save the drawing.",
  uploadAPicture: "Upload a picture",
  chooseAPictureAndTheSquare:
    "Choose a picture and the square that becomes your face. Only that square leaves your machine; an animated GIF is sent whole.",
  chooseAPicture: "Choose a picture",
  pngJpegWebpOrGifYou: "PNG, JPEG, WebP or GIF. You can also drop it here.",
  thatIsNotAPictureWe: "That is not a picture we can use. Take a PNG, JPEG, WebP or GIF.",
  thatGifIsTooLargeWhere: (value: string, value2: string) =>
    `That GIF is too large: ${value} where ${value2} is the limit.`,
  mb: (value: string) => `${value} MB`,
  savedAllYourConfirmedAddresses: "Saved. All your confirmed addresses show this picture now.",
  replaceYourDesign: "Replace your design?",
  yourAddressesShowTheDesign:
    "Your addresses show the design that you saved. This picture takes its place; the design stays in the editor as a draft until you sign out.",
  replaceIt: "Replace it",
  yourGif: "Your GIF",
  chooseTheSquare: "Choose the square",
  itKeepsItsAnimationSoIt:
    "It keeps its animation, so it is taken as it is. Where it is shown square, its middle is shown.",
  dragThePictureOrUseThe:
    "Drag the picture, or use the arrow keys. Zoom with the wheel, two fingers, or the slider.",
  theChosenGif: "The chosen GIF",
  soItWillLook: "So it will look",
  theChosenSquare: "The chosen square",
  useThisPicture: "Use this picture",
  chooseAnother: "Choose another",
  theSquareThatBecomesYourFace: "The square that becomes your face. Arrow keys move it.",
  zoom: "Zoom",
  thatFileCouldNotBeRead: "That file could not be read as a picture. Take a PNG, JPEG, WebP or GIF.",
  thisBrowserCannotDrawOnA: "This browser cannot draw on a canvas.",
  thePictureIsTooLargeFor: "The picture is too large for this browser.",
} as const;
