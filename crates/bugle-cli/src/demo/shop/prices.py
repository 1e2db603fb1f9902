import csv

SEPARATOR = ","


def prices(path="data/prices.csv"):
    """The price of each product, by its name."""
    with open(path, newline="") as file:
        return dict(csv.reader(file, delimiter=SEPARATOR))
