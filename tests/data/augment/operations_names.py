"""Our names of torchvision's operations, in the order of its AutoAugment family."""

NAMES = {"identity": "Identity", "shear-x": "ShearX", "shear-y": "ShearY", "translate-x": "TranslateX",
         "translate-y": "TranslateY", "rotate": "Rotate", "brightness": "Brightness", "colour": "Color",
         "contrast": "Contrast", "sharpness": "Sharpness", "posterize": "Posterize", "solarize": "Solarize",
         "autocontrast": "AutoContrast", "equalize": "Equalize"}
