"""A voice through what speech recognisers do first: ``python samples/speech.py``.

The voice is made here: the five vowels, each a train of pulses through resonances, in a little noise. It is filtered by
second-order sections, cut into windows, and becomes a mel spectrogram in decibels and its cepstral coefficients. The
functions are written as audio libraries write them for `torch.jit.script`, and each result is compared with the same in
NumPy. At the end each window is told which vowel it is by its coefficients.
"""

from __future__ import annotations

import math
import sys
from typing import Any, List, Optional, Tuple

import numpy as np

import tscript as torch
from tscript import Tensor

Array = np.ndarray[Any, Any]
RATE = 16000
WINDOW, HOP, MELS, COEFFICIENTS = 512, 160, 40, 13
VOWELS = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
}


@torch.jit.script
def biquad(waveform: Tensor, b: Tuple[float, float, float], a: Tuple[float, float, float]) -> Tensor:
    """A filter of second order: each sample (..., time) from two earlier ones before and behind it."""
    shape = waveform.size()
    x = waveform.reshape(-1, shape[-1])
    out = torch.zeros_like(x)
    b0, b1, b2 = b[0] / a[0], b[1] / a[0], b[2] / a[0]
    a1, a2 = a[1] / a[0], a[2] / a[0]
    for channel in range(x.size(0)):
        x1, x2, y1, y2 = 0.0, 0.0, 0.0, 0.0
        for t in range(x.size(1)):
            now = float(x[channel, t])
            y = b0 * now + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x2, x1, y2, y1 = x1, now, y1, y
            out[channel, t] = y
    return out.reshape(shape)


@torch.jit.script
def highpass_biquad(waveform: Tensor, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> Tensor:
    """What lies above a frequency, by R. Bristow-Johnson's cookbook of filters."""
    w0 = 2 * math.pi * cutoff_freq / sample_rate
    alpha = math.sin(w0) / (2.0 * Q)
    b0 = (1 + math.cos(w0)) / 2
    return biquad(waveform, (b0, -1 - math.cos(w0), b0), (1 + alpha, -2 * math.cos(w0), 1 - alpha))


@torch.jit.script
def spectrogram(
    waveform: Tensor,
    window: Tensor,
    n_fft: int,
    hop_length: int,
    power: Optional[float] = 2.0,
    normalized: bool = False,
    center: bool = True,
    pad_mode: str = "reflect",
) -> Tensor:
    """How strong each frequency is in each window: (..., time) gives (..., n_fft / 2 + 1, windows)."""
    shape = waveform.size()
    flat = waveform.reshape(-1, shape[-1])
    spec = torch.stft(
        flat,
        n_fft=n_fft,
        hop_length=hop_length,
        win_length=window.size(0),
        window=window,
        center=center,
        pad_mode=pad_mode,
        normalized=False,
        onesided=True,
        return_complex=True,
    )
    spec = spec.reshape(shape[:-1] + spec.shape[-2:])
    if normalized:
        spec = spec / window.pow(2.0).sum().sqrt()
    if power is not None:
        if power == 1.0:
            return spec.abs()
        return spec.abs().pow(power)
    return spec


@torch.jit.script
def mel_filters(n_freqs: int, f_min: float, f_max: float, n_mels: int, sample_rate: int) -> Tensor:
    """Triangles over the frequencies, evenly spaced as the ear hears them (HTK's scale): (n_freqs, n_mels)."""
    if n_mels <= 0:
        raise ValueError(f"n_mels must be positive, not {n_mels}")
    all_freqs = torch.linspace(0, sample_rate // 2, n_freqs)
    m_min = 2595.0 * math.log10(1.0 + f_min / 700.0)
    m_max = 2595.0 * math.log10(1.0 + f_max / 700.0)
    m_pts = torch.linspace(m_min, m_max, n_mels + 2)
    f_pts = 700.0 * (10.0 ** (m_pts / 2595.0) - 1.0)
    f_diff = f_pts[1:] - f_pts[:-1]
    slopes = f_pts.unsqueeze(0) - all_freqs.unsqueeze(1)
    down = (-1.0 * slopes[:, :-2]) / f_diff[:-1]
    up = slopes[:, 2:] / f_diff[1:]
    return torch.max(torch.zeros(1), torch.min(down, up))


@torch.jit.script
def amplitude_to_db(x: Tensor, amin: float = 1e-10, top_db: Optional[float] = None) -> Tensor:
    """Powers as decibels, none further than `top_db` below the strongest of its spectrogram."""
    decibels = 10.0 * torch.log10(torch.clamp(x, min=amin))
    if top_db is not None:
        decibels = torch.max(decibels, (decibels.amax(dim=(-2, -1)) - top_db).unsqueeze(-1).unsqueeze(-1))
    return decibels


@torch.jit.script
def cosines(n_mfcc: int, n_mels: int) -> Tensor:
    """The matrix of the orthonormal discrete cosine transform, (n_mels, n_mfcc)."""
    n = torch.arange(float(n_mels))
    k = torch.arange(float(n_mfcc)).unsqueeze(1)
    dct = torch.cos(math.pi / float(n_mels) * (n + 0.5) * k)
    dct[0] *= 1.0 / math.sqrt(2.0)
    dct *= math.sqrt(2.0 / float(n_mels))
    return dct.t()


@torch.jit.script
class MFCC:
    """Cepstral coefficients of a voice; the window, the filters and the cosines are made once."""

    def __init__(self, sample_rate: int, n_mfcc: int, n_fft: int, hop_length: int, n_mels: int):
        self.n_fft = n_fft
        self.hop_length = hop_length
        self.window: Tensor = torch.hann_window(n_fft)
        self.filters: Tensor = mel_filters(n_fft // 2 + 1, 20.0, sample_rate / 2, n_mels, sample_rate)
        self.dct: Tensor = cosines(n_mfcc, n_mels)

    def mel(self, waveform: Tensor) -> Tensor:
        """The mel spectrogram in decibels, (..., n_mels, windows)."""
        spec = spectrogram(waveform, self.window, self.n_fft, self.hop_length)
        return amplitude_to_db(torch.matmul(spec.transpose(-1, -2), self.filters).transpose(-1, -2), top_db=80.0)

    def forward(self, waveform: Tensor) -> Tensor:
        """The coefficients, (..., n_mfcc, windows)."""
        return torch.matmul(self.mel(waveform).transpose(-1, -2), self.dct).transpose(-1, -2)


@torch.jit.script
def nearest(coefficients: Tensor, means: Tensor) -> List[int]:
    """The row of `means` that each column of `coefficients` is nearest to."""
    distances = (coefficients.t().unsqueeze(1) - means.unsqueeze(0)).pow(2).sum(-1)
    found: List[int] = distances.argmin(1).tolist()
    return found


def speak(pitch: float, seed: int) -> Array:
    """Half a second of each vowel, one after the other."""
    random = np.random.default_rng(seed)
    voice = []
    for formants in VOWELS.values():
        pulses = np.zeros(RATE // 2)
        pulses[(np.arange(0, len(pulses) - 1, RATE / pitch)).astype(int)] = 1
        sound = torch.from_numpy(pulses)
        for formant in formants:
            r = math.exp(-math.pi * 90 / RATE)
            sound = biquad(sound, (1 - r, 0.0, 0.0), (1.0, -2 * r * math.cos(2 * math.pi * formant / RATE), r * r))
        voice.append(sound.numpy() / np.abs(sound.numpy()).max())
    return np.asarray((np.concatenate(voice) + random.normal(0, 1e-3, 5 * (RATE // 2))).astype(np.float32))


def expected(voice: Array) -> dict[str, Array]:
    """All steps in NumPy, in float64."""
    w0 = 2 * math.pi * 80 / RATE
    alpha, b0 = math.sin(w0) / 1.414, (1 + math.cos(w0)) / 2
    b = np.array([b0, -2 * b0, b0]) / (1 + alpha)
    a = np.array([-2 * math.cos(w0), 1 - alpha]) / (1 + alpha)
    x, y = np.pad(voice.astype(np.float64), (2, 0)), np.zeros(len(voice) + 2)
    for t in range(2, len(x)):
        y[t] = b @ x[t - 2 : t + 1][::-1] - a @ y[t - 2 : t][::-1]
    filtered = y[2:]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(filtered, WINDOW // 2, "reflect"), WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(frames * window)) ** 2
    mels = np.linspace(2595 * np.log10(1 + 20 / 700), 2595 * np.log10(1 + RATE / 2 / 700), MELS + 2)
    points = 700 * (10 ** (mels / 2595) - 1)
    freqs = np.linspace(0, RATE / 2, WINDOW // 2 + 1)[:, None]
    up, down = (freqs - points[:-2]) / np.diff(points)[:-1], (points[2:] - freqs) / np.diff(points)[1:]
    mel = 10 * np.log10(np.maximum(power @ np.clip(np.minimum(up, down), 0, None), 1e-10))
    mel = np.maximum(mel, mel.max() - 80)
    k = np.arange(COEFFICIENTS)[:, None]
    dct = np.cos(np.pi / MELS * (np.arange(MELS) + 0.5) * k) * np.sqrt(np.where(k == 0, 1, 2) / MELS)
    return {"filtered": filtered, "mel": mel.T, "coefficients": dct @ mel.T}


def main() -> None:
    """Make two voices, take the first apart, compare it with NumPy, and read the second by it."""
    voice, other = (torch.from_numpy(speak(pitch, seed)) for pitch, seed in ((110.0, 1), (150.0, 2)))
    mfcc = MFCC(RATE, COEFFICIENTS, WINDOW, HOP, MELS)
    filtered = highpass_biquad(voice, RATE, 80.0)
    found = {"filtered": filtered, "mel": mfcc.mel(filtered), "coefficients": mfcc.forward(filtered)}
    for name, wanted in expected(voice.numpy()).items():
        error = float(np.abs(found[name].numpy() - wanted).max() / np.abs(wanted).max())
        print(f"{name}: {' x '.join(map(str, wanted.shape))}, at most {error:.0e} of the largest from NumPy")
        if error > 1e-4:
            sys.exit(f"{name} differs from NumPy")
    coefficients = found["coefficients"][1:, :250]
    means = torch.stack([part.mean(1) for part in coefficients.chunk(5, dim=1)])
    read = nearest(mfcc.forward(highpass_biquad(other, RATE, 80.0))[1:, :250], means)
    right = sum(vowel == window // 50 for window, vowel in enumerate(read))
    print(f"{right} of {len(read)} windows of another voice are read as the vowel that they are")


if __name__ == "__main__":
    main()
