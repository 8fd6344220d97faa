"""Tests; the folders below mirror the packages that they test."""
